import { and, eq, isNull, lte, sql } from 'drizzle-orm'
import { type Database, prepareOnce, productPrices, products, whereIn } from '../../database/index.ts'
import { today } from '../../i18n/format.ts'

/** What a unit of products costs on a day (YYYY-MM-DD) before all discounts; nothing for those not for sale then. */
export function listPricesOn(db: Database, ids: readonly number[], day: string): Map<number, number> {
  const found = listPrices(db).all({ ids: JSON.stringify(ids), day })
  return new Map(found.map(({ id, price }) => [id, price]))
}

// SQLite takes the price from the row that has the greatest day.
const listPrices = prepareOnce((db, params) => {
  const { product_id, from, price } = productPrices
  const rows = db.select({ id: product_id, price, from: sql`max(${from})` }).from(productPrices)
  return rows
    .where(and(whereIn(product_id, params.ids), lte(from, params.day)))
    .groupBy(product_id)
    .prepare()
})

/** The same, and for what is not for sale yet the first price at which it will be. */
export function listPricesFrom(db: Database, ids: readonly number[], day: string): Map<number, number> {
  const found = firstPrices(db).all({ ids: JSON.stringify(ids) })
  return new Map([...found.map(({ id, price }) => [id, price] as const), ...listPricesOn(db, ids, day)])
}

const firstPrices = prepareOnce((db, params) => {
  const { product_id, from, price } = productPrices
  const rows = db.select({ id: product_id, price, from: sql`min(${from})` }).from(productPrices)
  return rows.where(whereIn(product_id, params.ids)).groupBy(product_id).prepare()
})

/** The days (YYYY-MM-DD) on which list prices of products begin. */
export function daysOfListPrices(db: Database, ids: readonly number[]): Map<number, string[]> {
  const { product_id, from } = productPrices
  const rows = db
    .select({ product_id, from })
    .from(productPrices)
    .where(whereIn(product_id, [...ids]))
    .all()
  const byProduct = Map.groupBy(rows, (row) => row.product_id)
  return new Map([...byProduct].map(([id, days]) => [id, days.map((row) => row.from)]))
}

/** A product for sale that nobody can order, as it has no price today. */
export function findUnpricedProduct(db: Database): number | undefined {
  const { product_id, from } = productPrices
  const held = and(eq(product_id, products.id), lte(from, today()))
  const rows = db.select({ id: products.id }).from(products).leftJoin(productPrices, held)
  return rows
    .where(and(eq(products.active, true), isNull(product_id)))
    .orderBy(products.id)
    .limit(1)
    .get()?.id
}

/** Whether dealers find a product to order. */
export function hasPricedProduct(db: Database): boolean {
  const { product_id, from } = productPrices
  const priced = db.select({ id: products.id }).from(products).innerJoin(productPrices, eq(product_id, products.id))
  const forSale = priced.where(and(eq(products.active, true), lte(from, today())))
  return forSale.limit(1).get() !== undefined
}
