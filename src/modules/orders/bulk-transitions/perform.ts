import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { missingFields, type Transition, type Workflow } from '../../../core/transition-rules.ts'
import { write } from '../../../database/open.ts'
import { authorize } from '../../../web/access/policy-hook.ts'
import type { Entry } from '../../../web/form/form.ts'
import { readForm } from '../../../web/form/read.ts'
import type { SubmittedForm } from '../../../web/form/read-value.ts'
import { readSubmittedForm } from '../../../web/form/submit.ts'
import { HttpError, notFound } from '../../../web/http.ts'
import { hasChanged } from '../../../web/list/selection.ts'
import type { List } from '../../../web/list/state.ts'
import { bodyOf } from '../../../web/request.ts'
import { findSubmission, recordSubmission } from '../../../web/submissions/idempotency.ts'
import { page } from '../../../web/view/page.ts'
import { loadWorkflow } from '../../workflow/load.ts'
import { may } from '../access.ts'
import { orderForm } from '../form.ts'
import type { OrderRow } from '../list.ts'
import { findOrder, type Order, orderLabel } from '../order.ts'
import { findTransition, moveOrder, TransitionRejected } from '../perform-transition.ts'
import { backTo, isFile, movedOn, renderBulkTransition, selectedOrders, sharedForm } from './show.ts'

interface Result {
  id: number
  label: string
  /** Why it was not moved. */
  reason?: string
}

const reportPage = page<{ title: string; results: Result[]; moved: number; back: string }>('orders/bulk-transition-report.njk')

/** POST of a transition of many orders: a transaction for each, those refused with their reason. */
export function performBulkTransition(list: List<OrderRow>) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const body = bodyOf(request)
    const done = findSubmission(request, body)
    if (done) return renderReport(request, reply, list, JSON.parse(done))
    const orders = selectedOrders(request, list, body)
    const changed = new HttpError(409, 'The list has changed. Review it and try again.')
    if (
      hasChanged(
        body,
        orders.map(({ id }) => id),
      )
    )
      return renderBulkTransition(request, reply.code(409), list, body, { notice: changed })
    const transition = findTransition(loadWorkflow(request.server.db), body)
    const sent = readSubmittedForm(request)
    const entry = readForm(sharedForm(transition, orders), { mode: 'edit', present: {}, choices: {} }, sent)
    if (Object.keys(entry.errors).length > 0) return renderBulkTransition(request, reply.code(422), list, body, { entry })
    const results = await moveAll(request, orders, transition, sent)
    write(request.server.db, () => recordSubmission(request, body, JSON.stringify(results)))
    return renderReport(request, reply, list, results)
  }
}

async function moveAll(request: FastifyRequest, orders: Order[], transition: Transition, sent: SubmittedForm): Promise<Result[]> {
  const results: Result[] = []
  for (const order of orders) {
    results.push({ id: order.id, label: orderLabel(order), reason: moveOne(request, order.id, transition, sent) })
    // Others are served in between.
    await nextTurn()
  }
  return results
}

/** @returns why the order was not moved */
function moveOne(request: FastifyRequest, id: number, transition: Transition, sent: SubmittedForm): string | undefined {
  const { server, t } = request
  const workflow = loadWorkflow(server.db)
  // Should the service end half-way, the same body sent again leaves alone what it moved already.
  const once = new URLSearchParams({ once: sent.body.has('once') ? `${sent.body.get('once')} ${id}` : '' })
  try {
    write(server.db, () => {
      if (findSubmission(request, once)) return
      const order = findOrder(server.db, id)
      if (!order) throw notFound()
      authorize(may.view, request.actor, order)
      moveOrder(request, order, { workflow, transition }, submittedFor(order, transition, sent))
      recordSubmission(request, once, '')
    })
  } catch (error) {
    if (error instanceof TransitionRejected) return rejectionReason(request, workflow, id, error)
    if (error instanceof HttpError) return t(error.message, error.params)
    throw error
  }
}

/** What the shared fields and an order's own files say about it; what it has already stays as it is. */
function submittedFor(order: Order, transition: Transition, sent: SubmittedForm): SubmittedForm {
  const body = new URLSearchParams({ note: sent.body.get('note') ?? '' })
  const uploadErrors: SubmittedForm['uploadErrors'] = {}
  for (const name of missingFields(transition, { ...order })) {
    const [input, stored] = isFile(name) ? [`files[${order.id}][${name}]`, '[stored]'] : [name, '']
    const [value, problem] = [sent.body.get(input + stored), sent.uploadErrors[input]]
    if (value !== null) body.set(name + stored, value)
    if (problem) uploadErrors[name] = problem
  }
  return { ...sent, body, uploadErrors }
}

function rejectionReason(request: FastifyRequest, workflow: Workflow, id: number, { status, entry }: TransitionRejected): string {
  const order = findOrder(request.server.db, id)
  return status === 409 && order ? movedOn(request, workflow, order) : describeErrors(request, entry)
}

function describeErrors({ t }: FastifyRequest, { errors }: Entry): string {
  const fields = Object.entries(orderForm.fields).filter(([name]) => name in errors)
  return t('Requires {fields}', { fields: fields.map(([, { label }]) => t(label)).join(', ') })
}

function renderReport(request: FastifyRequest, reply: FastifyReply, list: List<OrderRow>, results: Result[]) {
  const moved = results.filter(({ reason }) => reason === undefined).length
  const title = request.t('{count} orders moved', { count: moved })
  return reply.page(reportPage, {
    title,
    results,
    moved,
    back: backTo(request, list, bodyOf(request)),
  })
}
