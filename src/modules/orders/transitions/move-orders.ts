import { setImmediate as yieldToLoop } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { recordLabelFor } from '../../../core/default-workflow.ts'
import { orderFiles } from '../../../core/order-editable-fields.ts'
import { missingFields, type Transition } from '../../../core/transition-rules.ts'
import { orders as ordersTable } from '../../../database/index.ts'
import { authorize } from '../../../http/access/authorize.ts'
import { type ActionParts, action, type Done, redirect } from '../../../http/action.ts'
import { url } from '../../../http/request/addresses.ts'
import type { Context } from '../../../http/request/context.ts'
import { HttpError, notFound } from '../../../http/request/errors.ts'
import { flash } from '../../../http/request/flash.ts'
import { bodyOf, queryOf } from '../../../http/request/input.ts'
import { findReport } from '../../../http/submissions/idempotency.ts'
import { isValid } from '../../../records/form/form.ts'
import { Unsaved } from '../../../records/form/form-action.ts'
import { readForm } from '../../../records/form/read.ts'
import { readSubmittedForm, type Sent, sentInputs, uploadedBy } from '../../../records/form/sent.ts'
import { named } from '../../../records/jobs/attempt-all.ts'
import type { JobKind } from '../../../records/jobs/job.ts'
import { type BulkResult, type Changes, changeEach, changeMany, sendBulkReport } from '../../../records/list/bulk-change.ts'
import { hasChanged } from '../../../records/list/selection.ts'
import { loadWorkflow } from '../../workflow/load.ts'
import { orderAccess } from '../access.ts'
import { makePapers, Overtaken, type Paper, type PaperDraft } from '../documents/issue.ts'
import type { Ahead } from '../documents/step.ts'
import { orderForm } from '../form.ts'
import { findOrder, type Order, orderLabel } from '../order.ts'
import { amountInput, bulkForm, fileInput, isFile } from './bulk-form.ts'
import { describeStatus, isOneStep, placeOfOrders, renderBulkTransition, selectedOrders, sortOrders } from './bulk-page.ts'
import { latestStep } from './history.ts'
import { describeMove, draftsOfStep, findTransition, type MoveOptions, moveOrder, queueIssuing, TransitionRejected } from './move-order.ts'
import type { TransitionAttempt } from './step-form.ts'
import { offerUndo } from './undo-step.ts'

/** Documents of as many are made while the user waits. */
const issuingLimit = 50

/** A step of the selected orders, or of one on the board. */
export function bulkTransitionRoutes(app: FastifyInstance): void {
  const access = orderAccess.act
  app.registry.jobKinds.set('move', moveJob)
  app.registry.bulkActions.push({ list: 'orders', path: '/orders/transitions', label: 'Move to…', icon: 'arrow-right', rule: access })
  app.get('/orders/transitions', { access }, showBulkTransition)
  app.post('/orders/transitions', action({ access, uploads: orderFileInputs }, moveSelected))
}

/** The form, or what was done with one that was sent. */
function showBulkTransition(request: FastifyRequest, reply: FastifyReply) {
  const report = findReport(request)
  return report ? renderReport(request, reply, report) : renderBulkTransition(request, reply, queryOf(request))
}

interface Selected {
  orders: Order[]
  /** By the id of the order that they are of. */
  papers: ReadonlyMap<number, Paper[]>
}

const moveSelected: ActionParts<unknown, Selected> = {
  around: (request, carryOn) => queueIssuing(request, namedTransition(request), carryOn),
  async prepare(request) {
    const orders = await readOrders(request)
    return { orders, papers: await papersOf(request, orders) }
  },
  perform: (request, _, selected) => moveOrders(request, selected),
  answer: (request, reply, _, { report }) => (report ? renderReport(request, reply, report) : undefined),
  showAgain(request, reply, _, problem) {
    const rejection = problem instanceof Unsaved ? { entry: problem.entry } : { notice: request.whyUnsaved ? undefined : problem }
    return renderBulkTransition(request, reply, bodyOf(request), rejection)
  },
}

/** @throws Unsaved with what is missing for all of them, HttpError 409 when the list is no longer what was seen */
async function readOrders(request: FastifyRequest): Promise<Order[]> {
  const body = bodyOf(request)
  const orders = await selectedOrders(request, body)
  const ids = orders.map(({ id }) => id)
  if (hasChanged(body, ids)) throw new HttpError(409, 'The list has changed. Review it and try again.')
  const transition = namedTransition(request)
  if (transition.issues?.length && orders.length > issuingLimit)
    throw new HttpError(422, 'Documents are issued with up to {limit} orders at a time.', { limit: issuingLimit })
  const { form, page } = bulkForm(request, transition, sortOrders(request, transition, orders).ready)
  const entry = readForm(form, page, readSubmittedForm(request))
  if (!isValid(entry)) throw new Unsaved(422, entry)
  return orders
}

const namedTransition = (request: FastifyRequest): Transition => findTransition(request, bodyOf(request))

/** Their files are made while the user waits, all in one thread; each order in its turn has the next number. */
async function papersOf(request: FastifyRequest, orders: Order[]): Promise<Selected['papers']> {
  const transition = namedTransition(request)
  if (!transition.issues?.length) return new Map()
  const ahead: Ahead = new Map()
  const drafts: { order: number; draft: PaperDraft }[] = []
  for (const order of orders) {
    await yieldToLoop()
    const sent = sentFor(request, order, transition, bodyOf(request))
    for (const draft of draftsOfStep(request, order, transition, sent, ahead)) drafts.push({ order: order.id, draft })
  }
  const papers = await makePapers(
    request,
    drafts.map(({ draft }) => draft),
  )
  const byOrder = Map.groupBy(papers.entries(), ([at]) => drafts[at]?.order ?? 0)
  return new Map([...byOrder].map(([order, entries]) => [order, entries.map(([, paper]) => paper)]))
}

function moveOrders(request: FastifyRequest, { orders, papers }: Selected): Done {
  const body = bodyOf(request)
  const ids = orders.map(({ id }) => id)
  const said = [...body].filter(([name]) => name !== 'id')
  const payload: ManyMoved = { ids, body: String(new URLSearchParams(said)), back: placeOfOrders(request, body) }
  return changeMany(request, orders, {
    ...moves(body, { undoable: isOneStep(body, ids), papers }),
    reasonOf: issuedReason,
    labelOf: (order) => recordLabelFor(request.language, 'orders', orderLabel(order)),
    job: { kind: 'move', list: 'orders', payload },
  })
}

interface ManyMoved {
  ids: number[]
  /** What was filled in. */
  body: string
  back: string
}

const moveJob: JobKind<ManyMoved> = {
  perform(context, { payload, done }, size) {
    authorize(orderAccess.act, context.actor)
    const ids = payload.ids.slice(done, done + size)
    const refused = changeEach(context, ids, moves(new URLSearchParams(payload.body), { undoable: false }))
    return { done: ids.length, skipped: named(context, ordersTable, refused) }
  },
  links: ({ server }, { payload }) => ({ back: payload.back, card: url(server, '/orders/') }),
}

function moves(body: URLSearchParams, { undoable, papers }: { undoable: boolean; papers?: Selected['papers'] }): Changes {
  return {
    change: (context, id) => moveOne(context, id, body, { undoable, papers: papers?.get(id) }),
    reasonOf: rejectionReason,
  }
}

/** With one number that somebody else was given all that follow are others: everything is made anew. */
function issuedReason(context: Context, id: number, error: unknown): string | undefined {
  if (error instanceof Overtaken) throw error
  return rejectionReason(context, id, error)
}

function moveOne(context: Context, id: number, body: URLSearchParams, options: MoveOptions): void {
  const transition = findTransition(context, body)
  const order = findOrder(context.server.db, id)
  if (!order) throw notFound()
  authorize(orderAccess.act, context.actor, order)
  moveOrder(context, order, transition, sentFor(context, order, transition, body), options)
}

/** What a step of this order alone would be sent with. */
function sentFor(context: Context, order: Order, transition: Transition, sent: URLSearchParams): Sent {
  const body = new URLSearchParams()
  const pass = (name: string, input = name) => {
    const value = sent.getAll(input).at(-1)
    if (value !== undefined) body.set(name, value)
  }
  for (const name of missingFields(transition, order))
    if (isFile(name)) pass(`${name}[stored]`, `${fileInput(order, name)}[stored]`)
    else pass(name)
  pass('amount', amountInput(order))
  pass('date')
  pass('note')
  return sentInputs({ body, uploaded: uploadedBy(context) })
}

function rejectionReason(context: Context, id: number, error: unknown): string | undefined {
  if (!(error instanceof TransitionRejected)) return undefined
  const { db } = context.server
  const order = findOrder(db, id)
  return error.attempt.status === 409 && order
    ? describeStatus(context, loadWorkflow(db, context.language), order)
    : describeRefusal(context, error.attempt)
}

function describeRefusal({ t }: Context, { problem, entry: { errors } }: TransitionAttempt): string {
  if (problem) return t(problem)
  if (errors.exceed_reason) return t(errors.exceed_reason)
  if (errors.prices?.params) return t(errors.prices)
  const fields = Object.entries(orderForm.fields).filter(([name]) => name in errors)
  const required = fields.length > 0 && t('Requires {fields}', { fields: fields.map(([, { label }]) => t(label)).join(', ') })
  return [errors.amount && t(errors.amount), required].filter(Boolean).join(' ')
}

function renderReport(request: FastifyRequest, reply: FastifyReply, results: BulkResult[]) {
  const { t, server } = request
  const back = placeOfOrders(request, bodyOf(request))
  if (bodyOf(request).has('board') && results.every(({ reason }) => reason === undefined)) {
    const [order] = results.length === 1 ? results.flatMap(({ id }) => findOrder(server.db, id) ?? []) : []
    if (order) flash(request, ...describeMove(request, order), { undo: offerUndo(request, latestStep(server.db, order.id)) })
    else flash(request, '{count} orders moved', { count: results.length })
    return redirect(request, reply, order ? `${back}?moved=${order.id}` : back)
  }
  return sendBulkReport(reply, results, {
    titleOf: (count) => t('{count} orders moved', { count }),
    refusedOf: (count) => t('{count} orders were not moved:', { count }),
    card: url(server, '/orders/'),
    back,
  })
}

const orderFileInputs = new RegExp(`^files\\[\\d{1,15}\\]\\[(${orderFiles.join('|')})\\]$`)
