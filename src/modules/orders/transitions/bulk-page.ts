import type { FastifyReply, FastifyRequest } from 'fastify'
import { recordLabelFor } from '../../../core/default-workflow.ts'
import { documentKindLabels } from '../../../core/labels.ts'
import { fitsDelivery } from '../../../core/likely-step.ts'
import { isCanceled } from '../../../core/payments.ts'
import { findProblems, type StepFacts, type StepProblem } from '../../../core/plan-transition.ts'
import { seesPrices } from '../../../core/prices.ts'
import { isFinal, statusById, type Transition, type Workflow } from '../../../core/transition-rules.ts'
import { url } from '../../../http/request/addresses.ts'
import type { Context } from '../../../http/request/context.ts'
import type { HttpError, Problem } from '../../../http/request/errors.ts'
import { template } from '../../../http/request/template.ts'
import type { Entry } from '../../../records/form/form.ts'
import { viewOfForm } from '../../../records/form/view.ts'
import { selectedRecords, selectionFields } from '../../../records/list/selection.ts'
import { listAddress } from '../../../records/list/state.ts'
import { formatFieldNames } from '../../workflow/format.ts'
import { loadWorkflow } from '../../workflow/load.ts'
import { orderAccess } from '../access.ts'
import { deliveryMethods } from '../form.ts'
import { orderList } from '../list.ts'
import { findOrder, type Order, orderLabel } from '../order.ts'
import { unconfirmedSum } from '../payments/amounts.ts'
import { bulkForm, missingFilesOf } from './bulk-form.ts'
import { describeMissing, problemElsewhere, problemsOfForm, whyRefused } from './describe-problems.ts'
import { describeStep, describeSubject } from './describe-step.ts'
import { findTransition } from './move-order.ts'
import { stepFacts } from './step-facts.ts'

/** Each order takes a transaction of its own, while the user waits. */
const orderLimit = 1000

const fileLimit = 20

interface Rejection {
  notice?: HttpError
  entry?: Entry
}

const movePage = template<ReturnType<typeof viewOfMove>>('orders/bulk-transition.njk')

export async function renderBulkTransition(
  request: FastifyRequest,
  reply: FastifyReply,
  source: URLSearchParams,
  rejection: Rejection = {},
) {
  return reply.page(movePage, viewOfMove(request, source, await selectedOrders(request, source), rejection))
}

export function selectedOrders(context: Context, source: URLSearchParams): Promise<Order[]> {
  const tooMany = 'Move up to {limit} orders at a time.'
  return selectedRecords(
    context,
    orderList(context.server.db),
    source,
    { find: findOrder, rule: orderAccess.act },
    { most: orderLimit, tooMany },
  )
}

function viewOfMove(context: Context, source: URLSearchParams, orders: Order[], rejected: Rejection) {
  const { t, server } = context
  const { notice, entry } = rejected
  const workflow = loadWorkflow(server.db, context.language)
  const ids = orders.map(({ id }) => id)
  const named = source.has('transition_id') ? findTransition(context, source, context.language) : undefined
  const choices = named ? [] : possibleTransitions(context, workflow, orders)
  const only = choices.length === 1 ? workflow.transitions.find(({ id }) => id === choices[0]?.id) : undefined
  const chosen = named ?? only
  const step = chosen && viewOfStep(context, workflow, chosen, orders, entry)
  const [order] = orders
  const about = orders.length === 1 && order ? describeSubject(context, order) : undefined
  return {
    title: step?.only?.name ?? about ?? t('Move {count} orders', { count: orders.length }),
    /** Its steps are taken at once where they ask for nothing. */
    isOne: isOneStep(source, orders),
    action: url(server, '/orders/transitions'),
    back: placeOfOrders(context, source),
    fields: [...selectionFields(context, orderList(server.db), source, ids), ...(source.has('board') ? [['board', '1']] : [])],
    once: crypto.randomUUID(),
    notice: notice && t(notice),
    step,
    choices,
  }
}

/** A single order of the board is moved as on its page: without a report, and with an undo. */
export const isOneStep = (source: URLSearchParams, orders: unknown[]): boolean => orders.length === 1 && source.has('board')

/** The list or the board that orders were chosen on. */
export function placeOfOrders(context: Context, source: URLSearchParams): string {
  const { server } = context
  return source.has('board') ? url(server, '/orders/board') : listAddress(context, orderList(server.db), source)
}

function possibleTransitions(context: Context, workflow: Workflow, orders: Order[]) {
  const known = orders.map((order) => ({ order, facts: stepFacts(context, order, context.language) }))
  const counted = workflow.transitions.flatMap((transition) => {
    const movable = known.filter(({ order, facts }) => isMovable(findProblems(order, transition, {}, facts)))
    const [first] = movable
    return first ? { ...describeStep(context, first.order, transition, first.facts), count: movable.length } : []
  })
  return counted.sort((a, b) => b.count - a.count || Number(a.cancels) - Number(b.cancels))
}

const isMovable = (problems: readonly StepProblem[]) => !problems.some(({ kind }) => kind === 'forbidden' || kind === 'moved')

interface Sorted {
  /** Those that are asked about together. */
  ready: Order[]
  /** Those that only their own step can be asked about, and what about. */
  alone: { order: Order; problem: Problem }[]
  others: Order[]
}

/** What becomes of each order when a step is made with all of them. */
export function sortOrders(context: Context, transition: Transition, orders: Order[]): Sorted {
  const planned = orders.map((order) => {
    const facts = stepFacts(context, order)
    return { order, facts, problems: findProblems(order, transition, {}, facts) }
  })
  const movable = planned.filter(({ problems }) => isMovable(problems))
  const asked = movable.map((one) => ({ ...one, problem: findQuestion(context, one.order, one.problems, one.facts) }))
  const ready = asked.filter(({ problem }) => !problem).map(({ order }) => order)
  const tooMany = ready.flatMap((order) => missingFilesOf(context, transition, order)).length > fileLimit
  const unasked = tooMany ? ready.filter((order) => missingFilesOf(context, transition, order).length > 0) : []
  return {
    ready: ready.filter((order) => !unasked.includes(order)),
    alone: [
      ...asked.flatMap(({ order, problem }) => (problem ? [{ order, problem }] : [])),
      ...unasked.map((order) => ({ order, problem: describeFiles(context, transition, order) })),
    ],
    others: planned.filter(({ problems }) => !isMovable(problems)).map(({ order }) => order),
  }
}

/** What nobody can answer for many orders: which prices apply, why a limit is exceeded, and what no form can mend. */
function findQuestion(context: Context, order: Order, problems: readonly StepProblem[], facts: StepFacts): Problem | undefined {
  const { exceed_reason, prices } = problemsOfForm(order, problems, facts)
  return problemElsewhere(context, order, problems, facts) ?? exceed_reason ?? prices
}

function describeFiles(context: Context, transition: Transition, order: Order): Problem {
  return describeMissing(context, missingFilesOf(context, transition, order))
}

function viewOfStep(context: Context, workflow: Workflow, transition: Transition, orders: Order[], entry?: Entry) {
  const { t, actor, language, server } = context
  const labelOf = (order: Order) => recordLabelFor(language, 'orders', orderLabel(order))
  const { ready, alone, others } = sortOrders(context, transition, orders)
  const { form, page } = bulkForm(context, transition, ready)
  // One order is moved in the words of its page.
  const only = orders.length === 1 && others.length === 0 ? orders[0] : undefined
  return {
    id: transition.id,
    to: statusById(workflow, transition.child_status_id),
    only: only && {
      name: describeStep(context, only, transition, stepFacts(context, only, context.language)).name,
      about: describeSubject(context, only),
    },
    count: ready.length,
    final: isFinal(workflow, transition.child_status_id),
    cancels: isCanceled(statusById(workflow, transition.child_status_id)),
    unconfirmed: ready.reduce((sum, { id }) => sum + unconfirmedSum(context, id), 0),
    issues: ready.length > 0 ? formatFieldNames(transition.issues ?? [], documentKindLabels, t) : '',
    cost: seesPrices(actor) ? ready.reduce((sum, { cost }) => sum + cost, 0) : undefined,
    refused: others.map((order) => ({ label: labelOf(order), reason: skipReason(context, workflow, transition, order) })),
    unfit: [...ready, ...alone.map(({ order }) => order)]
      .filter((order) => !fitsDelivery(workflow, transition, order))
      .map((order) => ({ label: labelOf(order), delivery: t(deliveryMethods[order.delivery as keyof typeof deliveryMethods]) })),
    alone: alone.map(({ order, problem }) => ({
      id: order.id,
      label: labelOf(order),
      reason: t(problem),
      address: url(server, `/orders/${order.id}?transition_id=${transition.id}#step`),
    })),
    form: viewOfForm(form, page, t, entry),
  }
}

function skipReason(context: Context, workflow: Workflow, transition: Transition, order: Order): string {
  if (order.status_id !== transition.parent_status_id) return describeStatus(context, workflow, order)
  return whyRefused(context, transition)
}

export function describeStatus({ t }: Context, workflow: Workflow, order: Order): string {
  return t('The order is in "{status}".', { status: statusById(workflow, order.status_id)?.name ?? t('No status') })
}
