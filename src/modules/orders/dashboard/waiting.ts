import { asc, sql } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import { orders } from '../../../database/schema/index.ts'
import { conditionOf } from '../../../web/list/query.ts'
import { countOf } from '../../../web/list/rows.ts'
import type { List } from '../../../web/list/state.ts'
import { page, part } from '../../../web/view/page.ts'
import type { OrderRow } from '../list.ts'

const rowLimit = 8

const waitingPart = page<{ widget: { count: number; rows: OrderRow[] } }>('orders/dashboard/waiting.njk')
const latestPart = page<{ widget: { rows: OrderRow[] } }>('orders/dashboard/latest.njk')

export function waitingWidget(list: List<OrderRow>) {
  return part(waitingPart, ({ server: { db }, actor }: FastifyRequest) => {
    const where = conditionOf(list, actor, { q: '', filters: { waiting: '1' } })
    const ids = db.select({ id: orders.id }).from(orders).where(where).orderBy(asc(orders.created_at), asc(orders.id)).limit(rowLimit).all()
    return { widget: { count: countOf(db, list, actor, 'waiting=1'), rows: byAge(list.rows(ids.map(({ id }) => id))) } }
  })
}

export function latestWidget(list: List<OrderRow>) {
  return part(latestPart, ({ server: { db }, actor }: FastifyRequest) => {
    const where = conditionOf(list, actor, { q: '', filters: {} })
    const ids = db
      .select({ id: orders.id })
      .from(orders)
      .where(where)
      .orderBy(sql`${orders.created_at} desc, ${orders.id} desc`)
      .limit(5)
      .all()
    return { widget: { rows: byAge(list.rows(ids.map(({ id }) => id))).reverse() } }
  })
}

const byAge = (rows: OrderRow[]) => rows.sort((a, b) => a.created_at - b.created_at || a.id - b.id)
