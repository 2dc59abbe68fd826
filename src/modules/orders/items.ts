import { asc, eq } from 'drizzle-orm'
import { discountOf } from '../../core/discount.ts'
import { companies, type Database, orderItems } from '../../database/index.ts'
import { discountsOf } from '../companies/company.ts'

type StoredItem = typeof orderItems.$inferSelect
type Written = Pick<StoredItem, 'category_id' | 'name' | 'quantity' | 'price' | 'discount'>

/** A line as it is written. Lines without a product have none of what only products have. */
export type Item = Written & { id?: number } & Partial<Omit<StoredItem, keyof Written | 'id' | 'order_id'>>

export function itemsOf(db: Database, orderId: number): Item[] {
  const lines = db.select().from(orderItems).where(eq(orderItems.order_id, orderId)).orderBy(asc(orderItems.id)).all()
  return lines.map(describeItem)
}

function describeItem({ order_id: _, ...line }: StoredItem): Item {
  if (line.piece_price !== null) return line
  const { id, category_id, name, quantity, price, discount, vat, replaced_price, replaced_discount } = line
  const replaced = replaced_price !== null && { replaced_price, replaced_discount }
  return { id, category_id, name, quantity, price, discount, ...(vat && { vat }), ...replaced }
}

/** The agreed discount of a line in percent, if it has one. */
export function agreedOn({ price_origin, discount }: Item): number | null {
  return price_origin === 'agreed' ? discount : null
}

/** Replaces the lines of an order; rows keep their ids. Call it inside `write`. */
export function saveItems(db: Database, orderId: number, items: Item[]): [Item[], Item[]] {
  const before = itemsOf(db, orderId)
  db.delete(orderItems).where(eq(orderItems.order_id, orderId)).run()
  const rows = items.map((item) => ({ ...item, order_id: orderId }))
  for (const row of rows) db.insert(orderItems).values(row).run()
  return [before, itemsOf(db, orderId)]
}

/** A line as it looks without the catalog: a product is a name with the price of one piece. */
export function plainItem(item: Item): Item {
  const { id, category_id, name, quantity, piece_price, vat } = item
  return piece_price == null ? item : { id, category_id, name, quantity, price: piece_price, discount: 0, vat }
}

export interface Discounts {
  base: number | null
  rows: { category_id: number; discount: number }[]
}

export function discountsInForce(db: Database, companyId: number | null): Discounts {
  if (companyId === null) return { base: null, rows: [] }
  const company = db.select({ base: companies.discount }).from(companies).where(eq(companies.id, companyId)).get()
  return { base: company?.base ?? null, rows: discountsOf(db, companyId) }
}

/** A line keeps the discount it was written with until its category changes. */
export function lineDiscount(category: number | null, written: Item | undefined, { base, rows }: Discounts): number {
  return written && written.category_id === category ? written.discount : discountOf(category, rows, base)
}
