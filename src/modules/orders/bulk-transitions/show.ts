import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Actor } from '../../../core/access.ts'
import { recordLabelFor } from '../../../core/default-workflow.ts'
import { seesPrices } from '../../../core/prices.ts'
import { isFinal, mayPerform, missingFields, statusById, type Transition, type Workflow } from '../../../core/transition-rules.ts'
import type { Acting } from '../../../web/acting.ts'
import type { Entry } from '../../../web/form/form.ts'
import { presentForm } from '../../../web/form/view.ts'
import { type HttpError, page, queryOf, url } from '../../../web/http.ts'
import { selectedRecords, selectionFields } from '../../../web/list/selection.ts'
import { readState, stateQuery } from '../../../web/list/state.ts'
import { loadWorkflow } from '../../workflow/load.ts'
import { may } from '../access.ts'
import { describeStep, describeSubject, whyRefused } from '../describe-step.ts'
import { orderForm, unseenOf } from '../form.ts'
import { orderList } from '../list.ts'
import { findOrder, type Order, orderLabel } from '../order.ts'
import { stepPayment } from '../payments/form.ts'
import { findTransition } from '../perform-transition.ts'
import { transitionForm } from '../present-transitions.ts'

/** Each order takes a transaction of its own, while the user waits. */
const orderLimit = 1000

const fileLimit = 20

const files = ['specification', 'invoice', 'payment_order'] as const
export const orderFileInputs = new RegExp(`^files\\[\\d{1,15}\\]\\[(${files.join('|')})\\]$`)

export interface Rejection {
  notice?: HttpError
  entry?: Entry
}

const movePage = page<ReturnType<typeof presentMove>>('orders/bulk-transition.njk')

export function showBulkTransition(request: FastifyRequest, reply: FastifyReply) {
  return renderBulkTransition(request, reply, queryOf(request))
}

export async function renderBulkTransition(
  request: FastifyRequest,
  reply: FastifyReply,
  source: URLSearchParams,
  rejection: Rejection = {},
) {
  return reply.page(movePage, presentMove(request, source, await selectedOrders(request, source), rejection))
}

export function selectedOrders(acting: Acting, source: URLSearchParams): Promise<Order[]> {
  const tooMany = 'Move up to {limit} orders at a time.'
  return selectedRecords(acting, orderList(acting.server.db), source, { find: findOrder, rule: may.view, limit: orderLimit, tooMany })
}

export function sharedForm(transition: Transition, orders: Order[]) {
  const missing = new Set<string>(orders.flatMap((order) => missingFields(transition, { ...order })))
  const names = [...missing].filter((name) => !isFile(name))
  return transitionForm(transition, names)
}

/** Which prices apply, what was paid, and why a limit is exceeded, is answered for each order by itself. */
export const unaskedTogether = (actor: Actor) => new Set([...unseenOf(actor), 'prices', 'exceed_reason', ...Object.keys(stepPayment)])

export const isFile = (name: string): name is (typeof files)[number] => files.some((file) => file === name)

function presentMove(request: FastifyRequest, source: URLSearchParams, orders: Order[], rejected: Rejection) {
  const { t, server } = request
  const { notice, entry } = rejected
  const workflow = loadWorkflow(server.db, request.language)
  const ids = orders.map(({ id }) => id)
  const chosen = source.has('transition_id') ? findTransition(workflow, source) : undefined
  const step = chosen && presentStep(request, workflow, chosen, orders, entry)
  return {
    title: step?.only?.name ?? t('Move {count} orders', { count: orders.length }),
    action: url(server, '/orders/transitions'),
    back: listAddress(request, source),
    fields: [...selectionFields(request, orderList(server.db), source, ids), ...(source.has('board') ? [['board', '1']] : [])],
    once: crypto.randomUUID(),
    notice: notice && t(notice.message, notice.params),
    step,
    choices: chosen ? [] : possibleTransitions(request, workflow, orders),
  }
}

export function listAddress({ server, actor }: Acting, source: URLSearchParams): string {
  const list = orderList(server.db)
  return url(server, source.has('board') ? '/orders/board' : `/orders${stateQuery(list, readState(list, source, actor))}`)
}

function possibleTransitions(acting: Acting, workflow: Workflow, orders: Order[]) {
  const { actor } = acting
  const counted = workflow.transitions.flatMap((transition) => {
    const movable = orders.filter((order) => order.status_id === transition.parent_status_id && mayPerform(transition, actor, order))
    const [first] = movable
    return first ? { ...describeStep(acting, workflow, transition, first), count: movable.length } : []
  })
  return counted.sort((a, b) => b.count - a.count)
}

function presentStep(acting: Acting, workflow: Workflow, transition: Transition, orders: Order[], entry?: Entry) {
  const { t, actor, language } = acting
  const labelOf = (order: Order) => recordLabelFor(language, 'orders', orderLabel(order))
  const unseen = unseenOf(actor)
  const movable = orders.filter((order) => order.status_id === transition.parent_status_id && mayPerform(transition, actor, order))
  const others = orders.filter((order) => !movable.includes(order))
  // One order is moved in the words of its page.
  const only = orders.length === 1 ? movable[0] : undefined
  const missingFiles = movable.flatMap((order) =>
    missingFields(transition, { ...order })
      .filter(isFile)
      .filter((name) => !unseen.includes(name))
      .map((name) => ({ input: `files[${order.id}][${name}]`, label: `${labelOf(order)}: ${t(orderForm.fields[name].label)}` })),
  )
  return {
    id: transition.id,
    to: statusById(workflow, transition.child_status_id),
    only: only && { name: describeStep(acting, workflow, transition, only).name, about: describeSubject(acting, only) },
    count: movable.length,
    final: isFinal(workflow, transition.child_status_id),
    cost: seesPrices(actor) ? movable.reduce((sum, { cost }) => sum + cost, 0) : undefined,
    refused: others.map((order) => ({ label: labelOf(order), reason: skipReason(acting, workflow, transition, order) })),
    files: missingFiles.length <= fileLimit ? missingFiles : [],
    withoutFiles: missingFiles.length > fileLimit,
    form: presentForm(
      sharedForm(transition, movable),
      { mode: 'edit', present: {}, choices: {}, hidden: unaskedTogether(actor) },
      t,
      entry,
    ),
  }
}

function skipReason(acting: Acting, workflow: Workflow, transition: Transition, order: Order): string {
  if (order.status_id !== transition.parent_status_id) return describeStatus(acting, workflow, order)
  return whyRefused(acting, transition)
}

export function describeStatus({ t }: Acting, workflow: Workflow, order: Order): string {
  return t('The order is in "{status}".', { status: statusById(workflow, order.status_id)?.name ?? t('No status') })
}
