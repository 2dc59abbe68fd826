import type { FastifyReply, FastifyRequest } from 'fastify'
import { recordLabelFor } from '../../../core/default-workflow.ts'
import { missingFields, type Transition } from '../../../core/transition-rules.ts'
import { authorize } from '../../../web/access/policy-hook.ts'
import type { Acting } from '../../../web/acting.ts'
import { readForm } from '../../../web/form/read.ts'
import type { SubmittedForm } from '../../../web/form/read-value.ts'
import { readSubmittedForm } from '../../../web/form/submit.ts'
import { bodyOf, flash, HttpError, notFound, queryOf, url, wantsFragment } from '../../../web/http.ts'
import { type BulkResult, changeEach, sendBulkReport } from '../../../web/list/bulk-change.ts'
import { hasChanged } from '../../../web/list/selection.ts'
import { findReport, findSubmission, oneAtATimePerSubmission, SentOtherwise } from '../../../web/submissions/idempotency.ts'
import { loadWorkflow } from '../../workflow/load.ts'
import { may } from '../access.ts'
import { orderForm } from '../form.ts'
import { findOrder, type Order, orderLabel } from '../order.ts'
import { amountInput, bulkForm, fileInput, isFile } from './bulk-form.ts'
import { describeStatus, listAddress, renderBulkTransition, selectedOrders, sortOrders } from './bulk-show.ts'
import { findTransition, moveOrder, TransitionRejected } from './move-order.ts'
import type { TransitionAttempt } from './step-form.ts'
import { offerUndo } from './undo-step.ts'

/** The form, or what was done with one that was sent. */
export function showBulkTransition(request: FastifyRequest, reply: FastifyReply) {
  const report = findReport(request)
  return report ? renderReport(request, reply, report) : renderBulkTransition(request, reply, queryOf(request))
}

export function performBulkTransition(request: FastifyRequest, reply: FastifyReply) {
  return oneAtATimePerSubmission(request, () => moveOrders(request, reply)).catch((error) => {
    if (!(error instanceof SentOtherwise)) throw error
    return renderBulkTransition(request, reply.code(error.status), bodyOf(request))
  })
}

async function moveOrders(request: FastifyRequest, reply: FastifyReply) {
  const body = bodyOf(request)
  const done = findSubmission(request, body)?.report
  if (done) return renderReport(request, reply, done)
  const orders = await selectedOrders(request, body)
  const ids = orders.map(({ id }) => id)
  const changed = new HttpError(409, 'The list has changed. Review it and try again.')
  if (hasChanged(body, ids)) return renderBulkTransition(request, reply.code(409), body, { notice: changed })
  const transition = findTransition(loadWorkflow(request.server.db), body)
  const sent = readSubmittedForm(request)
  const { form, page } = bulkForm(request, transition, sortOrders(request, transition, orders).ready)
  const entry = readForm(form, page, sent)
  if (Object.keys(entry.errors).length > 0) return renderBulkTransition(request, reply.code(422), body, { entry })
  const labelOf = (order: Order) => recordLabelFor(request.language, 'orders', orderLabel(order))
  const undoable = isBoardStep(body, ids)
  const move = (id: number) => moveOne(request, id, transition, sent, undoable)
  const results = await changeEach(request, body, orders, labelOf, move, (error, id) => rejectionReason(request, id, error))
  return renderReport(request, reply, results)
}

/** Many at once are not undone; one on the board is a step like any other. */
const isBoardStep = (body: URLSearchParams, ids: number[]) => body.has('board') && ids.length === 1

function moveOne(acting: Acting, id: number, transition: Transition, sent: SubmittedForm, undoable: boolean): void {
  const { db } = acting.server
  const order = findOrder(db, id)
  if (!order) throw notFound()
  authorize(may.view, acting.actor, order)
  moveOrder(acting, order, transition, submittedFor(order, transition, sent), { undoable })
}

function submittedFor(order: Order, transition: Transition, sent: SubmittedForm): SubmittedForm {
  const body = new URLSearchParams()
  const pass = (name: string, input = name) => {
    const value = sent.body.getAll(input).at(-1)
    if (value !== undefined) body.set(name, value)
  }
  for (const name of missingFields(transition, order))
    if (isFile(name)) pass(`${name}[stored]`, `${fileInput(order, name)}[stored]`)
    else pass(name)
  pass('amount', amountInput(order))
  pass('date')
  pass('note')
  return { ...sent, body, uploadErrors: {} }
}

function rejectionReason(acting: Acting, id: number, error: unknown): string | undefined {
  if (!(error instanceof TransitionRejected)) return undefined
  const { db } = acting.server
  const order = findOrder(db, id)
  return error.attempt.status === 409 && order
    ? describeStatus(acting, loadWorkflow(db, acting.language), order)
    : describeRefusal(acting, error.attempt)
}

function describeRefusal({ t }: Acting, { problem, entry: { errors } }: TransitionAttempt): string {
  if (problem) return t(problem.message, problem.params)
  if (errors.exceed_reason) return t(errors.exceed_reason.message, errors.exceed_reason.params)
  if (errors.prices?.params) return t(errors.prices.message, errors.prices.params)
  const fields = Object.entries(orderForm.fields).filter(([name]) => name in errors)
  return t('Requires {fields}', { fields: fields.map(([, { label }]) => t(label)).join(', ') })
}

function renderReport(request: FastifyRequest, reply: FastifyReply, results: BulkResult[]) {
  const { t, server } = request
  const back = listAddress(request, bodyOf(request))
  if (bodyOf(request).has('board') && results.every(({ reason }) => reason === undefined)) {
    const [order] = results.length === 1 ? results.flatMap(({ id }) => findOrder(server.db, id) ?? []) : []
    flash(request, '{count} orders moved', { count: results.length }, order && offerUndo(request, order))
    return wantsFragment(request) ? reply.header('HX-Redirect', back).send() : reply.redirect(back, 303)
  }
  return sendBulkReport(reply, results, {
    titleOf: (count) => t('{count} orders moved', { count }),
    refusedOf: (count) => t('{count} orders were not moved:', { count }),
    card: url(server, '/orders/'),
    back,
  })
}
