import { asc, sql } from 'drizzle-orm'
import { type Database, orderItems, prepareOnce, whereIn } from '../../database/index.ts'

/** Orders with what their first line is called. */
export function withProducts<Row extends { id: number }>(db: Database, rows: Row[]): (Row & { product?: string })[] {
  const lines = linesOf(db).all({ ids: JSON.stringify(rows.map(({ id }) => id)) })
  const products = new Map(lines.reverse().map(({ order, name }) => [order, name]))
  return rows.map((row) => ({ ...row, product: products.get(row.id) }))
}

const linesOf = prepareOnce((db) =>
  db
    .select({ order: orderItems.order_id, name: orderItems.name })
    .from(orderItems)
    .where(whereIn(orderItems.order_id, sql.placeholder('ids')))
    .orderBy(asc(orderItems.id))
    .prepare(),
)
