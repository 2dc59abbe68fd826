import { and, inArray, type SQL, sql } from 'drizzle-orm'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { group, isDealer } from '../../core/access.ts'
import { isTurnOf } from '../../core/expected-actor.ts'
import { nextSteps } from '../../core/likely-step.ts'
import { isCanceled } from '../../core/payments.ts'
import { seesPrices } from '../../core/prices.ts'
import { isFinal, mayPerform, outgoingTransitions, type Status, type Workflow } from '../../core/transition-rules.ts'
import { type Database, orders, selectRows } from '../../database/index.ts'
import type { Context } from '../../http/request/context.ts'
import { parseId, queryOf } from '../../http/request/input.ts'
import { template } from '../../http/request/template.ts'
import { countLimit, formatCount, startOfDay } from '../../i18n/format.ts'
import { conditionOf } from '../../records/list/conditions.ts'
import type { EmptyList } from '../../records/list/empty-list.ts'
import { sliceIds } from '../../records/list/page.ts'
import { sortByIds } from '../../records/list/rows.ts'
import { readState } from '../../records/list/state.ts'
import { loadWorkflow } from '../workflow/load.ts'
import { orderAccess } from './access.ts'
import { emptyOrders } from './empty.ts'
import { countPerStatus } from './filters.ts'
import { firstLines } from './first-lines.ts'
import { orderList, type SeenOrder, withoutUnseen } from './list.ts'
import { findOrders, type Order } from './order.ts'
import { awaitedConfirmation } from './payments/amounts.ts'
import { latestOf, oldestOf } from './queues.ts'
import { describeStep, nameStep } from './transitions/describe-step.ts'
import { stepFacts } from './transitions/step-facts.ts'
import { openStatuses, plannedDay } from './waiting.ts'

/** The head of a column links to the list with all its orders. */
const cardLimit = 10

/** For so many days a board shows what ended. */
const endedDays = 30

const boardPage = template<BoardView>('orders/board.njk')

interface BoardView {
  title: string
  columns: ReturnType<typeof viewOfColumns>
  /** How many orders are in progress in them. */
  count: string
  isEmpty: boolean
  endedDays: number
  /** Whether those that were canceled are left out. */
  leavesOut: boolean
  /** What stands where there are none. */
  empty: EmptyList
  add: NonNullable<EmptyList['add']>
  /** What says of an order's page that it was opened from here. */
  here: string
  /** The order that has just been moved, from which the keyboard goes on. */
  moved: number | undefined
  once: string
}

/** Statuses that the user can move orders out of or into, each with the orders that have waited longest; canceled ones when asked for. */
export function showBoard(request: FastifyRequest, reply: FastifyReply) {
  const workflow = loadWorkflow(request.server.db, request.language)
  const statuses = statusesOf(request, workflow)
  const showsCanceled = queryOf(request).has('canceled')
  const shown = showsCanceled ? statuses : statuses.filter((status) => !isCanceled(status))
  const columns = viewOfColumns(request, workflow, shown)
  const open = columns.filter(({ ended }) => !ended)
  const empty = emptyOrders(request)
  return reply.page(boardPage, {
    title: request.t('Order board'),
    columns,
    count: formatCount(open.reduce((sum, { count }) => sum + count, 0)),
    isEmpty: columns.every(({ cards }) => cards.length === 0),
    endedDays,
    leavesOut: shown.length < statuses.length,
    empty,
    add: empty.add ?? { path: '/orders/add', label: 'New order', rule: orderAccess.add },
    here: String(new URLSearchParams({ back: showsCanceled ? 'board?canceled=1' : 'board' })),
    moved: parseId(queryOf(request).get('moved')),
    once: crypto.randomUUID(),
  })
}

function viewOfColumns(context: Context, workflow: Workflow, statuses: Status[]) {
  const { db } = context.server
  const list = orderList(db)
  const scope = conditionOf(list, context.actor)
  const statusIds = statuses.map(({ id }) => id)
  const counts = countPerStatus(db, scope, statusIds)
  const sums = seesPrices(context.actor) ? sumPerStatus(db, scope, summed(workflow, counts)) : new Map<number, number>()
  const ids = new Map(statusIds.map((id) => [id, firstIn(context, workflow, id, scope)]))
  const shown = [...ids.values()].flat()
  const rows = withoutUnseen(context, list.rows.load(shown, context))
  const stored = findOrders(db, shown)
  const products = showsProducts(context) ? firstLines(shown, context) : undefined
  return statuses.map((status) => {
    const of = sortByIds(ids.get(status.id) ?? [], rows)
    const cards = of.map((row) => ({
      ...viewOfCard(context, workflow, row, stored.get(row.id) as Order),
      products: products?.get(row.id),
    }))
    const count = counts.get(status.id) ?? 0
    const ended = isFinal(workflow, status.id)
    const order = ended ? 'sort=since&dir=desc' : `sort=${sortedBy(context)}&dir=asc`
    const more = count > cards.length ? `/orders?${order}&status=${status.id}` : undefined
    return { status, count, total: formatCount(count), sum: sums.get(status.id), ended, more, cards }
  })
}

/** Dealers have several orders of one company, and production makes what it is of. */
const showsProducts = ({ actor: { group_id } }: Context) => group_id === group.dealer || group_id === group.production

/** What ended is history, and very many are not summed up. */
function summed(workflow: Workflow, counts: ReadonlyMap<number, number>): number[] {
  return openStatuses(workflow).filter((id) => {
    const count = counts.get(id) ?? 0
    return count > 0 && count <= countLimit
  })
}

const sortedBy = ({ actor }: Context) => (actor.group_id === group.production ? 'date_make' : 'since')

/** What production makes next comes first; for everybody else what has been longest in the status, and of what ended the latest. */
function firstIn({ server: { db }, actor }: Context, workflow: Workflow, status: number, scope: SQL | undefined): number[] {
  if (isFinal(workflow, status)) return latestOf(db, status, scope, startOfDay(endedDays), cardLimit)
  if (actor.group_id !== group.production) return oldestOf(db, status, scope, cardLimit)
  const list = orderList(db)
  const state = readState(list, new URLSearchParams({ status: String(status), sort: 'date_make', dir: 'asc' }), actor)
  return sliceIds({ db, list, actor, state }, { offset: 0, length: cardLimit })
}

function statusesOf({ actor }: Context, { statuses, transitions }: Workflow): Status[] {
  const own = { dealer_id: actor.id, owner_manager_id: actor.id }
  const open = transitions.filter((transition) => mayPerform(transition, actor, own))
  const shown = new Set(open.flatMap(({ parent_status_id, child_status_id }) => [parent_status_id, child_status_id]))
  return statuses.filter(({ id }) => shown.has(id))
}

function viewOfCard(context: Context, workflow: Workflow, row: SeenOrder, order: Order) {
  const facts = stepFacts(context, order, context.language)
  const steps = outgoingTransitions(workflow, order.status_id).map((transition) => describeStep(context, order, transition, facts))
  const awaited = awaitedConfirmation(context, order)
  const next = !awaited && isTurnOf(context.actor, order, workflow) ? nameSteps(context, workflow, row) : undefined
  const who = isDealer(context.actor) ? row.receiver : row.company
  return { ...row, who, steps: steps.filter(({ allowed }) => allowed), awaited, next, due: plannedDay(workflow, order) }
}

/** What the orders of each status cost together. */
function sumPerStatus(db: Database, scope: SQL | undefined, ids: number[]): Map<number, number> {
  const where = and(inArray(orders.status_id, ids), scope)
  return new Map(selectRows<[number, number]>(db, sql`select status_id, sum(cost) from ${orders} where ${where} group by status_id`))
}

/** What the reader may do next with an order, in the words of the buttons. */
function nameSteps(context: Context, workflow: Workflow, order: Parameters<typeof nextSteps>[1]): string[] {
  return nextSteps(workflow, order, context.actor).map((transition) => nameStep(context, workflow, transition))
}
