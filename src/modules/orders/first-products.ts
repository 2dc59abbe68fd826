import { asc, sql } from 'drizzle-orm'
import { type Database, orderItems, prepareOnce, whereIn } from '../../database/index.ts'

/** What the first line of each order is called. */
export function firstProducts(db: Database, ids: number[]): Map<number, string> {
  const lines = linesOf(db).all({ ids: JSON.stringify(ids) })
  return new Map(lines.reverse().map(({ order, name }) => [order, name]))
}

const linesOf = prepareOnce((db) =>
  db
    .select({ order: orderItems.order_id, name: orderItems.name })
    .from(orderItems)
    .where(whereIn(orderItems.order_id, sql.placeholder('ids')))
    .orderBy(asc(orderItems.id))
    .prepare(),
)
