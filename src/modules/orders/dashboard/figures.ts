import { desc, eq, gte, sql } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import type { Database } from '../../../database/open.ts'
import { prepareOnce } from '../../../database/prepare-once.ts'
import { deliveries, orderHistory, orderTallies } from '../../../database/schema/index.ts'
import { countLimit } from '../../../web/view/format.ts'
import { page, part } from '../../../web/view/page.ts'
import { loadWorkflow, ordersByStatus } from '../../workflow/load.ts'
import { toBars, toColumns } from './charts.ts'

const day = 24 * 3600_000

const figuresPart = page<{ widget: ReturnType<typeof loadFigures> }>('orders/dashboard/figures.njk')

export const figuresWidget = part(figuresPart, (request: FastifyRequest) => ({ widget: loadFigures(request) }))

function loadFigures({ server: { db } }: FastifyRequest) {
  const { statuses } = loadWorkflow(db)
  const counts = ordersByStatus(db)
  const stays = new Map(
    averageStays(db)
      .all()
      .map(({ status_id, stay }) => [status_id, stay]),
  )
  const rows = statuses.map((status) => ({ status, value: counts.get(status.id) ?? 0, address: `/orders?status=${status.id}` }))
  const withoutStatus = counts.get(0) ?? 0
  return {
    perStatus: toBars(withoutStatus > 0 ? [...rows, { status: undefined, value: withoutStatus, address: '/orders?status=none' }] : rows),
    perMonth: toColumns(lastMonths(db)),
    slowest: toBars(
      statuses
        .map((status) => ({ status, value: Math.round(((stays.get(status.id) ?? 0) / day) * 10) / 10 }))
        .filter(({ value }) => value > 0)
        .sort((a, b) => b.value - a.value),
    ),
    undelivered: undelivered(db).get()?.count ?? 0,
  }
}

function lastMonths(db: Database) {
  const now = new Date()
  const months = Array.from({ length: 12 }, (_, index) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 11 + index)).toISOString().slice(0, 7),
  )
  const counts = new Map(
    perMonth(db)
      .all({ first: months[0] })
      .map(({ month, count }) => [month, count]),
  )
  return months.map((month) => ({ label: month.split('-').reverse().join('.'), value: counts.get(month) ?? 0 }))
}

const perMonth = prepareOnce((db) =>
  db
    .select({ month: orderTallies.month, count: sql<number>`sum(${orderTallies.count})` })
    .from(orderTallies)
    .where(gte(orderTallies.month, sql.placeholder('first')))
    .groupBy(orderTallies.month)
    .prepare(),
)

const averageStays = prepareOnce((db) => {
  const latest = db
    .select({ order_id: orderHistory.order_id, at: orderHistory.at, from_status_id: orderHistory.from_status_id })
    .from(orderHistory)
    .orderBy(desc(orderHistory.at))
    .limit(1000)
    .as('latest')
  const enteredAt = sql`(select max(before.at) from order_history before where before.order_id = ${latest.order_id} and before.at < ${latest.at})`
  return db
    .select({ status_id: latest.from_status_id, stay: sql<number>`avg(${latest.at} - ${enteredAt})` })
    .from(latest)
    .where(sql`${latest.from_status_id} is not null`)
    .groupBy(latest.from_status_id)
    .prepare()
})

const undelivered = prepareOnce((db) => {
  const some = db
    .select({ one: sql`1`.as('one') })
    .from(deliveries)
    .where(eq(deliveries.state, 'failed'))
    .limit(countLimit + 1)
    .as('some')
  return db.select({ count: sql<number>`count(*)` }).from(some).prepare()
})
