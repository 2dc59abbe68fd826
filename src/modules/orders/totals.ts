import { sql } from 'drizzle-orm'
import { cachedUntilWrite, orders } from '../../database/index.ts'
import type { Context } from '../../http/request/context.ts'
import { conditionOf } from '../../records/list/conditions.ts'
import { orderList } from './list.ts'

export interface Totals {
  count: number
  /** What the orders cost together. */
  kopecks: number
  /** The list of exactly these orders. */
  address: string
}

/** How many orders that were not canceled somebody sees in the list with these filters, and what they cost together. */
export function totalsOf({ server: { db }, actor }: Context, among: Record<string, string>): Totals {
  const filters = { ...among, not_canceled: '1' }
  const address = orderAddress(filters)
  return cachedUntilWrite(db, `totals of ${address} for ${actor.id}`, () => {
    const where = conditionOf(orderList(db), actor, { filters })
    const figures = { count: sql<number>`count(*)`, kopecks: sql<number>`ifnull(sum(${orders.cost}), 0)` }
    const found = db.select(figures).from(orders).where(where).get()
    return { count: 0, kopecks: 0, ...found, address }
  })
}

export function orderAddress(filters: Record<string, string>): string {
  return `/orders?${new URLSearchParams(filters)}`
}
