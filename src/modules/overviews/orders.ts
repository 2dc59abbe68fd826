import { and, desc, eq, notInArray, type SQL, sql } from 'drizzle-orm'
import { allows } from '../../core/access.ts'
import { seesPrices } from '../../core/prices.ts'
import { type Database, orderItems, orders } from '../../database/index.ts'
import type { Context } from '../../http/request/context.ts'
import { countLimit } from '../../i18n/format.ts'
import { whereClause } from '../../records/list/conditions.ts'
import { countUpToLimit } from '../../records/list/count.ts'
import { countUpTo } from '../../records/list/ids.ts'
import { loadRows } from '../../records/list/rows.ts'
import { lastMonths, makeChart } from '../../view/chart.ts'
import type { Company } from '../companies/company.ts'
import { orderAccess } from '../orders/access.ts'
import { orderList, withoutUnseen } from '../orders/list.ts'
import { withProducts } from '../orders/pricing/lines.ts'
import { oldestInStatus, seenOrders } from '../orders/queues.ts'
import { orderAddress, totalsOf } from '../orders/totals.ts'
import { openStatuses, stuckDays } from '../orders/waiting.ts'
import { loadWorkflow } from '../workflow/load.ts'

const shown = 8
const fewLines = 1000
const finishedShown = 5

type OrdersOf = 'company' | 'dealer' | 'product'

/** The orders of a company, of a dealer or with a product that somebody sees: those in progress, and what waits among them. */
export function viewOfOrders(context: Context, of: OrdersOf, id: number) {
  const { server, actor, t } = context
  if (!allows(orderAccess.list, actor)) return undefined
  const filter = { [of]: String(id) }
  const isOfProduct = of === 'product'
  const seen = ordersSeen(context, of, id)
  const figureOf = (label: string, filters: Record<string, string>) => ({
    label,
    count: countUpToLimit(server.db, orders, seen(filters)),
    address: orderAddress({ ...filter, ...filters }),
  })
  const overdue = figureOf(t('Overdue orders'), { overdue: '1' })
  const rows = oldestInStatus(context, seen(), openStatuses(loadWorkflow(server.db)), shown)
  return {
    of,
    rows: isOfProduct ? rows : withProducts(server.db, rows),
    open: figureOf(t('In progress'), { open: '1' }),
    waiting: [
      { ...overdue, late: overdue.count > 0 },
      figureOf(t('No progress for {count} days', { count: stuckDays }), { stuck: String(stuckDays) }),
    ],
    all: {
      label: t('All orders'),
      count: isOfProduct ? countWithProduct(context, id) : countUpToLimit(server.db, orders, seen()),
      address: orderAddress(filter),
    },
  }
}

/** Those of them that came to an end last. */
export function finishedOrders(context: Context, of: OrdersOf, id: number) {
  const { db } = context.server
  if (!allows(orderAccess.list, context.actor)) return []
  const where = and(ordersSeen(context, of, id)(), notInArray(orders.status_id, openStatuses(loadWorkflow(db))))
  const last = db
    .select({ id: orders.id })
    .from(orders)
    .where(where)
    .orderBy(desc(orders.status_since), desc(orders.id))
    .limit(finishedShown)
  const ids = last.all().map(({ id }) => id)
  const rows = withoutUnseen(context, loadRows(context, orderList(db), ids))
  return (of === 'product' ? rows : withProducts(db, rows)).map((row) => ({ ...row, final: true }))
}

function ordersSeen(context: Context, of: OrdersOf, id: number) {
  const withIt = of === 'product' ? hasProduct(context.server.db, id) : undefined
  return (filters: Record<string, string> = {}) =>
    withIt ? and(seenOrders(context, filters), withIt) : seenOrders(context, { [of]: String(id), ...filters })
}

/** Orders in progress are few, while a product may have been ordered always: they are asked for it, unless its lines are fewer still. */
function hasProduct(db: Database, id: number): SQL {
  const lines = sql`select ${orderItems.order_id} from ${orderItems} where ${orderItems.product_id} = ${id}`
  const areFew = countUpTo(db, lines, fewLines + 1) <= fewLines
  return areFew ? sql`${orders.id} in (${lines})` : sql`exists (${lines} and ${orderItems.order_id} = ${orders.id})`
}

/** From the lines of the product on, as far as is counted. */
function countWithProduct(context: Context, id: number): number {
  const lines = sql`${orderItems} cross join ${orders} on ${orders.id} = ${orderItems.order_id}`
  const where = and(eq(orderItems.product_id, id), seenOrders(context))
  return countUpTo(context.server.db, sql`select distinct ${orderItems.order_id} from ${lines} ${whereClause(where)}`, countLimit + 1)
}

/** What the orders of a company come to by month, for those who see prices. */
export function viewOfMonths(context: Context, { id }: Company) {
  const { t, language, actor } = context
  if (!seesPrices(actor) || !allows(orderAccess.list, actor)) return undefined
  const company = String(id)
  const nameOf = new Intl.DateTimeFormat(language, { month: 'long', year: 'numeric' })
  const shortNameOf = new Intl.DateTimeFormat(language, { month: 'short' })
  const values = lastMonths(12).map(({ start, from, until }) => {
    const { count, kopecks, address } = totalsOf(context, { company, created_from: from, created_until: until })
    return {
      name: nameOf.format(start),
      short: shortNameOf.format(start).replace('.', ''),
      value: kopecks,
      text: t.money(kopecks, 0),
      count,
      address,
    }
  })
  return {
    ...makeChart(t('Amounts by month'), [t('Month'), t('Amount')], values, (kopecks) => t.money(kopecks, 0)),
    total: values.reduce((sum, { value }) => sum + value, 0),
  }
}
