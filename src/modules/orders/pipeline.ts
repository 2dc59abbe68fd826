import { and, eq, type SQL, sql } from 'drizzle-orm'
import { addDays } from '../../core/days.ts'
import { type Database, orders, selectRows } from '../../database/index.ts'
import type { Context } from '../../http/request/context.ts'
import { fragment, template } from '../../http/request/template.ts'
import { countLimit, daysSince, formatCount, today } from '../../i18n/format.ts'
import { conditionOf } from '../../records/list/conditions.ts'
import { countOf } from '../../records/list/count.ts'
import { makeChart, unlessAlone } from '../../view/chart.ts'
import { loadWorkflow } from '../workflow/load.ts'
import { countPerStatus } from './filters.ts'
import { orderList } from './list.ts'
import { orderAddress } from './totals.ts'
import { openStatuses } from './waiting.ts'

const pipelinePart = template<{ widget: ReturnType<typeof loadPipeline> }>('orders/dashboard/pipeline.njk')

/** How many orders are in each status that is not final and has any, for how long, and how old they are. */
export const pipelineWidget = fragment(pipelinePart, (context: Context) => ({ widget: loadPipeline(context) }))

function loadPipeline(context: Context) {
  const stages = viewOfStages(context)
  return stages.length > 0 ? { stages, ages: unlessAlone(viewOfAges(context)) } : undefined
}

function viewOfStages({ server: { db }, actor, language }: Context) {
  const workflow = loadWorkflow(db, language)
  const open = openStatuses(workflow)
  const scope = conditionOf(orderList(db), actor)
  const counts = countPerStatus(db, scope, open)
  const most = Math.max(1, ...open.map((id) => counts.get(id) ?? 0))
  const stages = workflow.statuses.filter(({ id }) => open.includes(id) && counts.get(id))
  return stages.map((status) => {
    const count = counts.get(status.id) ?? 0
    return { status, count, share: Math.round((count / most) * 100), days: medianDays(db, status.id, scope, count) }
  })
}

/** Half of the orders have been in the status at least so many days. Of very many in a scope, only so many are looked at as are counted. */
function medianDays(db: Database, status: number, scope: SQL | undefined, count: number): number | undefined {
  if (count === 0) return undefined
  const ofStatus = eq(orders.status_id, status)
  const middle = sql`order by status_since limit 1 offset +${Math.ceil(count / 2) - 1}`
  const rows = scope
    ? sql`select status_since from (select status_since from ${orders} where ${and(ofStatus, scope)} limit +${countLimit}) ${middle}`
    : sql`select status_since from ${orders} where ${ofStatus} ${middle}`
  const since = selectRows<[number]>(db, rows)[0]?.[0]
  return since === undefined ? undefined : daysSince(since)
}

const ages = [
  { short: '0–3', least: 0, most: 3 },
  { short: '4–7', least: 4, most: 7 },
  { short: '8–14', least: 8, most: 14 },
  { short: '15+', least: 15, most: undefined },
]

/** The age of an order counts from the day it was created. */
function viewOfAges(context: Context) {
  const { server, actor, t } = context
  const values = ages.map(({ short, least, most }) => {
    const filters = {
      open: '1',
      ...(most !== undefined && { created_from: addDays(today(), -most) }),
      ...(least > 0 && { created_until: addDays(today(), -least) }),
    }
    const count = countOf(server.db, orderList(server.db), actor, String(new URLSearchParams(filters)))
    const name = most === undefined ? t('{number} days or more', { number: least }) : t('{from} to {to} days', { from: least, to: most })
    return { name, short, value: count, text: formatCount(count), brief: formatCount(count), address: orderAddress(filters) }
  })
  return makeChart(t('Age of orders in progress'), [t('Age'), t('Orders')], values)
}
