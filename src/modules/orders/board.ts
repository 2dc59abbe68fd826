import type { SQL } from 'drizzle-orm'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { group } from '../../core/access.ts'
import { isTurnOf } from '../../core/expected-actor.ts'
import { seesPrices } from '../../core/prices.ts'
import { mayPerform, outgoingTransitions, type Status, type Workflow } from '../../core/transition-rules.ts'
import type { Context } from '../../http/request/context.ts'
import { template } from '../../http/request/template.ts'
import { countLimit, formatCount } from '../../i18n/format.ts'
import { sliceIds } from '../../records/list/page-ids.ts'
import { conditionOf } from '../../records/list/query.ts'
import { sortByIds } from '../../records/list/rows.ts'
import { readState } from '../../records/list/state.ts'
import { loadWorkflow } from '../workflow/load.ts'
import { orderAccess } from './access.ts'
import { oldestOf } from './dashboard.ts'
import { countPerStatus, sumPerStatus } from './filters.ts'
import { orderList, type SeenOrder, withoutUnseen } from './list.ts'
import { findOrders, type Order } from './order.ts'
import { describeStep, nameSteps } from './transitions/describe-step.ts'
import { stepFacts } from './transitions/step-facts.ts'
import { dueDateOf, openStatuses } from './waiting.ts'

/** The head of a column links to the list with all its orders. */
const cardLimit = 10

const boardPage = template<BoardView>('orders/board.njk')

interface BoardView {
  title: string
  columns: ReturnType<typeof viewOfColumns>
  isEmpty: boolean
  add: { path: string; label: string; rule: typeof orderAccess.add }
  once: string
}

/** Statuses that the user can move orders out of or into, each with the orders that have waited longest. */
export function showBoard(request: FastifyRequest, reply: FastifyReply) {
  const columns = viewOfColumns(request)
  return reply.page(boardPage, {
    title: request.t('Order board'),
    columns,
    isEmpty: columns.every(({ cards }) => cards.length === 0),
    add: { path: '/orders/add', label: 'New order', rule: orderAccess.add },
    once: crypto.randomUUID(),
  })
}

function viewOfColumns(context: Context) {
  const { db } = context.server
  const list = orderList(db)
  const workflow = loadWorkflow(db, context.language)
  const statuses = statusesOf(context, workflow)
  const scope = conditionOf(list, context.actor, { q: '', filters: {} })
  const statusIds = statuses.map(({ id }) => id)
  const counts = countPerStatus(db, scope, statusIds)
  const sums = seesPrices(context.actor) ? sumPerStatus(db, scope, summed(workflow, counts)) : new Map<number, number>()
  const ids = new Map(statusIds.map((id) => [id, firstIn(context, id, scope)]))
  const shown = [...ids.values()].flat()
  const rows = withoutUnseen(context, list.rows.load(shown, context))
  const stored = findOrders(db, shown)
  return statuses.map((status) => {
    const cards = sortByIds(ids.get(status.id) ?? [], rows).map((row) => viewOfCard(context, workflow, row, stored.get(row.id) as Order))
    const total = counts.get(status.id) ?? 0
    const more = total > cards.length ? `/orders?sort=${sortedBy(context)}&dir=asc&status=${status.id}` : undefined
    return { status, total: formatCount(total), sum: sums.get(status.id), more, cards }
  })
}

/** What ended is history, and very many are not summed up. */
function summed(workflow: Workflow, counts: ReadonlyMap<number, number>): number[] {
  return openStatuses(workflow).filter((id) => {
    const count = counts.get(id) ?? 0
    return count > 0 && count <= countLimit
  })
}

const sortedBy = ({ actor }: Context) => (actor.group_id === group.production ? 'date_make' : 'since')

/** What production makes next comes first; for everybody else what has been longest in the status. */
function firstIn({ server: { db }, actor }: Context, status: number, scope: SQL | undefined): number[] {
  if (actor.group_id !== group.production) return oldestOf(db, status, scope, cardLimit).map(({ id }) => id)
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
  const facts = stepFacts(context, order, workflow)
  const steps = outgoingTransitions(workflow, order.status_id).map((transition) => describeStep(context, order, transition, facts))
  const next = isTurnOf(context.actor, order, workflow) ? nameSteps(context, workflow, row) : undefined
  const due = dueDateOf(workflow, order) ?? order.date_make ?? order.date_delivery
  return { ...row, steps: steps.filter(({ allowed }) => allowed), next, due }
}
