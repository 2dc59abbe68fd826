import { asc, eq } from 'drizzle-orm'
import { discountOf } from '../../core/discount.ts'
import { companies, type Database, orderItems } from '../../database/index.ts'
import { discountsOf } from '../companies/discounts.ts'

export interface Item {
  id?: number
  category_id: number | null
  name: string
  quantity: number
  price: number
  discount: number
}

export function itemsOf(db: Database, orderId: number): Item[] {
  const { id, category_id, name, quantity, price, discount } = orderItems
  const lines = db.select({ id, category_id, name, quantity, price, discount }).from(orderItems)
  return lines.where(eq(orderItems.order_id, orderId)).orderBy(asc(id)).all()
}

/** Replaces the lines of an order; rows keep their ids. Call it inside `write`. */
export function saveItems(db: Database, orderId: number, items: Item[]): [Item[], Item[]] {
  const before = itemsOf(db, orderId)
  db.delete(orderItems).where(eq(orderItems.order_id, orderId)).run()
  for (const item of items)
    db.insert(orderItems)
      .values({ ...item, order_id: orderId })
      .run()
  return [before, itemsOf(db, orderId)]
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

export function withDiscounts(sent: readonly Omit<Item, 'discount'>[], written: readonly Item[], discounts: Discounts): Item[] {
  return sent.map((item) => {
    const before = written.find(({ id }) => id === item.id)
    return { ...item, discount: lineDiscount(item.category_id, before, discounts) }
  })
}
