import { asc, eq, sql } from 'drizzle-orm'
import { type Database, orderItems, prepareOnce, whereIn } from '../../../database/index.ts'

type StoredItem = typeof orderItems.$inferSelect
type Written = Pick<StoredItem, 'category_id' | 'name' | 'quantity' | 'price' | 'discount'>

/** A line as it is written. Lines without a product have none of what only products have. */
export type Item = Written & { id?: number } & Partial<Omit<StoredItem, keyof Written | 'id' | 'order_id'>>

/** A line as somebody sends it; what their form does not show is undefined. */
export interface SentItem {
  id?: number
  product_id?: number | null
  width?: number | null
  height?: number | null
  category_id?: number | null
  name?: string | null
  quantity: number
  price?: number | null
  agreed?: number | null
  remark?: string | null
  files?: string[]
}

export function itemsOf(db: Database, orderId: number): Item[] {
  return linesOf(db).all({ order: orderId }).map(describeItem)
}

const linesOf = prepareOnce((db, params) =>
  db.select().from(orderItems).where(eq(orderItems.order_id, params.order)).orderBy(asc(orderItems.id)).prepare(),
)

function describeItem({ order_id: _, ...line }: StoredItem): Item {
  if (line.piece_price !== null) return line
  const { id, category_id, name, quantity, price, discount, vat, replaced_price, replaced_discount, remark, files } = line
  const replaced = replaced_price !== null && { replaced_price, replaced_discount }
  return { id, category_id, name, quantity, price, discount, ...(vat && { vat }), ...replaced, remark, files }
}

/** Replaces the lines of an order; rows keep their ids. Call it inside `write`. */
export function saveItems(db: Database, orderId: number, items: Item[]): [Item[], Item[]] {
  const before = itemsOf(db, orderId)
  db.delete(orderItems).where(eq(orderItems.order_id, orderId)).run()
  const rows = items.map((item) => ({ ...item, order_id: orderId }))
  for (const row of rows) db.insert(orderItems).values(row).run()
  return [before, itemsOf(db, orderId)]
}

/** The agreed discount of a line in percent, if it has one. */
export function agreedOn({ price_origin, discount }: Item): number | null {
  return price_origin === 'agreed' ? discount : null
}

/** A line as it looks without the catalog: a product is a name with the price of one piece. */
export function plainItem(item: Item): Item {
  const { id, category_id, name, quantity, piece_price, vat, remark, files } = item
  return piece_price == null ? item : { id, category_id, name, quantity, price: piece_price, discount: 0, vat, remark, files }
}

/** Orders with what their first line is called. */
export function withProducts<Row extends { id: number }>(db: Database, rows: Row[]): (Row & { product?: string })[] {
  const lines = namesOf(db).all({ ids: JSON.stringify(rows.map(({ id }) => id)) })
  const products = new Map(lines.reverse().map(({ order, name }) => [order, name]))
  return rows.map((row) => ({ ...row, product: products.get(row.id) }))
}

const namesOf = prepareOnce((db) =>
  db
    .select({ order: orderItems.order_id, name: orderItems.name })
    .from(orderItems)
    .where(whereIn(orderItems.order_id, sql.placeholder('ids')))
    .orderBy(asc(orderItems.id))
    .prepare(),
)
