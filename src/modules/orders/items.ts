import { asc, eq } from 'drizzle-orm'
import { discountOf } from '../../core/discount.ts'
import { lineCost, lineLimits } from '../../core/order-cost.ts'
import { companies, type Database, orderItems } from '../../database/index.ts'
import type { FormView } from '../../web/form/view.ts'
import { formatMoney } from '../../web/view/format.ts'
import { discountsOf } from '../companies/company.ts'

type StoredItem = typeof orderItems.$inferSelect

export type Item = Pick<StoredItem, 'category_id' | 'name' | 'quantity' | 'price' | 'discount'> & { id?: number }

export function itemsOf(db: Database, orderId: number): Item[] {
  const { id, category_id, name, quantity, price, discount } = orderItems
  const lines = db.select({ id, category_id, name, quantity, price, discount }).from(orderItems)
  return lines.where(eq(orderItems.order_id, orderId)).orderBy(asc(id)).all()
}

/** Replaces the lines of an order; rows keep their ids. Call it inside `write`. */
export function saveItems(db: Database, orderId: number, items: Item[]): [Item[], Item[]] {
  const before = itemsOf(db, orderId)
  db.delete(orderItems).where(eq(orderItems.order_id, orderId)).run()
  const rows = items.map((item) => ({ ...item, order_id: orderId }))
  for (const row of rows) db.insert(orderItems).values(row).run()
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

interface RenderedField {
  value: string
  kopecks?: number
  storedDiscount?: string
}

export function priceLines(form: FormView, written: readonly Item[], discounts: Discounts): number {
  const itemsField = form.groups.flatMap(({ fields }) => fields).find(({ name }) => name === 'items')
  const rows = itemsField && 'rows' in itemsField ? itemsField.rows : []
  const sums = rows.map((row) => {
    const item = written.find(({ id }) => String(id) === row.key)
    return 'fields' in row ? priceLine(row.fields, item, discounts) : 0
  })
  return sums.reduce((total, sum) => total + sum, 0)
}

function priceLine(fields: (RenderedField & { id: string })[], written: Item | undefined, discounts: Discounts): number {
  const part = (name: string) => fields.find(({ id }) => id.endsWith(`.${name}`)) as RenderedField
  const category = Number(part('category_id').value) || null
  const quantity = /^\s*\d+\s*$/.test(part('quantity').value) ? Number(part('quantity').value) : 0
  const price = part('price').kopecks
  const discount = lineDiscount(category, written, discounts)
  if (category || written) part('discount').value = `${discount}\u00a0%`
  if (written) part('discount').storedDiscount = `${written.category_id ?? ''}:${written.discount}`
  if (price === undefined || price > lineLimits.price || quantity < 1 || quantity > lineLimits.quantity) return 0
  const sum = lineCost({ quantity, price, discount })
  Object.assign(part('sum'), { value: formatMoney(sum), kopecks: sum })
  return sum
}
