import { and, desc, type SQL, sql } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import { allOf, anyOf, group, has, isGroup } from '../../core/access.ts'
import { statusesAwaiting } from '../../core/expected-actor.ts'
import { type Database, orders, selectRows } from '../../database/index.ts'
import type { Acting } from '../../web/acting.ts'
import { page, part } from '../../web/http.ts'
import { conditionOf } from '../../web/list/query.ts'
import { countOf, loadPage, sortByIds } from '../../web/list/rows.ts'
import { readState } from '../../web/list/state.ts'
import { rowPresenter } from '../../web/list/view.ts'
import { formatCount, formatDateTimeInput, formatMoney } from '../../web/view/format.ts'
import { loadWorkflow, ordersByStatus } from '../workflow/load.ts'
import { may } from './access.ts'
import { nameSteps } from './describe-step.ts'
import { type OrderRow, orderList } from './list.ts'
import { openStatuses } from './waiting.ts'

interface Tile {
  label: string
  value: string
  address: string
  before?: { text: string; address: string; trend: 'up' | 'down' | 'same' }
}

const stuckDays = 14

const overviewPart = page<{ widget: ReturnType<typeof loadOverview> }>('orders/dashboard/overview.njk')
const tilesPart = page<{ widget: { tiles: Tile[] } }>('orders/dashboard/tiles.njk')
const slowestPart = page<{ widget: { rows: OrderRow[] } }>('orders/dashboard/slowest.njk')

const overviewWidget = part(overviewPart, (acting: Acting) => ({ widget: loadOverview(acting) }))

const tilesWidget = part(tilesPart, (acting: Acting) => {
  const waiting = countedTile(acting, acting.t('Waiting for you'), 'waiting=1')
  return { widget: { tiles: [waiting, countedTile(acting, acting.t('Overdue'), 'overdue=1'), stuckTile(acting)] } }
})

const slowestWidget = part(slowestPart, (acting: Acting) => {
  const open = openStatuses(loadWorkflow(acting.server.db))
  return { widget: { rows: oldestInStatus(acting, {}, open, 6) } }
})

function loadOverview(acting: Acting) {
  const { server, t } = acting
  const workflow = loadWorkflow(server.db, acting.language)
  const counts = ordersByStatus(server.db)
  if (![...counts.values()].some((count) => count > 0)) return undefined
  const production = workflow.statuses.find(({ status_key }) => status_key === 'production')
  const [month, before] = [ordersOfMonth(acting, 0), ordersOfMonth(acting, -1)]
  const tiles: Tile[] = [
    monthTile(acting, t('Orders this month'), [month, before], 'count', formatCount),
    monthTile(acting, t('Revenue this month'), [month, before], 'cost', (kopecks) => formatMoney(kopecks, 0)),
    ...(production
      ? [{ label: production.name, value: formatCount(counts.get(production.id) ?? 0), address: `/orders?status=${production.id}` }]
      : []),
    stuckTile(acting),
  ]
  const open = new Set(openStatuses(workflow))
  const stages = workflow.statuses.filter(({ id }) => open.has(id)).map((status) => ({ status, count: counts.get(status.id) ?? 0 }))
  return { tiles, stages, total: stages.reduce((sum, { count }) => sum + count, 0) }
}

function ordersOfMonth({ server: { db }, actor }: Acting, offset: 0 | -1) {
  const now = new Date()
  const [year, month] = [now.getFullYear(), now.getMonth() + offset]
  const lastDay = Math.min(now.getDate(), new Date(year, month + 1, 0).getDate())
  const [created_from, created_until] = [1, lastDay].map((day) =>
    formatDateTimeInput(new Date(year, month, day).getTime()).slice(0, 10),
  ) as [string, string]
  const where = conditionOf(orderList(db), actor, { q: '', filters: { created_from, created_until } })
  const figures = { count: sql<number>`count(*)`, cost: sql<number>`ifnull(sum(${orders.cost}), 0)` }
  const totals = db.select(figures).from(orders).where(where).get()
  return { count: 0, cost: 0, ...totals, address: `/orders?created_from=${created_from}&created_until=${created_until}` }
}

function monthTile(
  { t }: Acting,
  label: string,
  [month, before]: ReturnType<typeof ordersOfMonth>[],
  of: 'count' | 'cost',
  format: (value: number) => string,
): Tile {
  const [value, earlier] = [month?.[of] ?? 0, before?.[of] ?? 0]
  const percent = earlier > 0 ? Math.round((value / earlier - 1) * 100) : 0
  const change = `${percent > 0 ? '+' : percent < 0 ? '−' : ''}${Math.abs(percent)}\u00a0%`
  const text =
    earlier > 0 ? t('{change} vs. this date last month: {value}', { change, value: format(earlier) }) : t('None by this date last month')
  const trend = percent > 0 ? 'up' : percent < 0 ? 'down' : 'same'
  return { label, value: format(value), address: month?.address ?? '', before: { text, address: before?.address ?? '', trend } }
}

function stuckTile(acting: Acting): Tile {
  return countedTile(acting, acting.t('No progress for {count} days', { count: stuckDays }), `stuck=${stuckDays}`)
}

function countedTile({ server, actor }: Acting, label: string, query: string): Tile {
  return { label, value: formatCount(countOf(server.db, orderList(server.db), actor, query)), address: `/orders?${query}` }
}

export function addOrderWidgets(app: FastifyInstance): void {
  const staff = allOf(may.list, anyOf(isGroup(group.manager), isGroup(group.production)))
  const dealers = allOf(may.list, anyOf(isGroup(group.dealer)))
  const administrators = allOf(anyOf(has('order_can_view')), anyOf(isGroup(group.administrator)))
  app.widgets.push(
    { rule: administrators, place: 'top', ...overviewWidget },
    { rule: staff, place: 'top', ...tilesWidget },
    { rule: may.list, ...waitingWidget },
    { rule: dealers, ...latestWidget },
    { rule: administrators, ...slowestWidget },
  )
}

const waitingPart = page<{ widget: { count: number; from: string; rows: (OrderRow & { next: string[] })[] } }>(
  'orders/dashboard/waiting.njk',
)
const latestPart = page<{ widget: { rows: OrderRow[] } }>('orders/dashboard/latest.njk')

export const waitingWidget = part(waitingPart, (acting: Acting) => {
  const { server, actor } = acting
  const workflow = loadWorkflow(server.db, acting.language)
  const produces = actor.group_id === group.production
  const rows = produces
    ? firstToMake(acting)
    : oldestInStatus(acting, { waiting: '1' }, statusesAwaiting(workflow, actor.group_id), waitingShown)
  const count = countOf(server.db, orderList(server.db), actor, 'waiting=1')
  const from = produces ? productionQueue : '?waiting=1&sort=since&dir=asc&cols=since'
  return { widget: { count, from, rows: rows.map((row) => ({ ...row, next: nameSteps(acting, workflow, row) })) } }
})

const waitingShown = 8
const productionQueue = '?waiting=1&sort=date_make&dir=asc&cols=date_make,since'

/** By production date, under a heading for each day. */
function firstToMake(acting: Acting): OrderRow[] {
  const { server, actor } = acting
  const list = orderList(server.db)
  const state = readState(list, new URLSearchParams(productionQueue))
  const { rows } = loadPage({ db: server.db, list, actor, state })
  return rows.slice(0, waitingShown).map(rowPresenter(acting, list, state))
}

export const latestWidget = part(latestPart, ({ server: { db }, actor }: Acting) => {
  const list = orderList(db)
  const where = conditionOf(list, actor, { q: '', filters: {} })
  const ids = db.select({ id: orders.id }).from(orders).where(where).orderBy(desc(orders.created_at), desc(orders.id)).limit(5).all()
  const latest = ids.map(({ id }) => id)
  return { widget: { rows: sortByIds(latest, list.rows(latest)) } }
})

/** The orders that have been longest in their status. Each status is read from its own end of the index. */
export function oldestInStatus(
  { server: { db }, actor }: Acting,
  filters: Record<string, string>,
  statuses: number[],
  limit: number,
): OrderRow[] {
  const list = orderList(db)
  const where = conditionOf(list, actor, { q: '', filters })
  const candidates = statuses.flatMap((status) => oldestOf(db, status, where, limit)).sort((a, b) => a.since - b.since || a.id - b.id)
  const ids = candidates.slice(0, limit).map(({ id }) => id)
  return sortByIds(ids, list.rows(ids))
}

export function oldestOf(db: Database, status: number, where: SQL | undefined, limit: number): { id: number; since: number }[] {
  const rows = sql`select id, status_since from ${orders} where ${and(sql`status_id = ${status}`, where)}
    order by status_since, id limit +${limit}`
  return selectRows<[number, number]>(db, rows).map(([id, since]) => ({ id, since }))
}
