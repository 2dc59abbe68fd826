import { and, eq, lte, sql } from 'drizzle-orm'
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

/** Whether dealers find a product to order. */
export function hasPricedProduct(db: Database): boolean {
  const { product_id, from } = productPrices
  const priced = db.select({ id: products.id }).from(products).innerJoin(productPrices, eq(product_id, products.id))
  const forSale = priced.where(and(eq(products.active, true), lte(from, today())))
  return forSale.limit(1).get() !== undefined
}
