import { asc, eq } from 'drizzle-orm'
import { type Database, prepareOnce, productPrices, products, whereIn } from '../../database/index.ts'
import type { FindRecord } from '../../http/request/route-policy.ts'

export type Product = typeof products.$inferSelect

const byId = prepareOnce((db, params) => db.select().from(products).where(eq(products.id, params.id)).prepare())

export const findProduct: FindRecord<Product> = (db, id) => byId(db).get({ id })

export function findProducts(db: Database, ids: readonly number[]): Map<number, Product> {
  return new Map(
    byIds(db)
      .all({ ids: JSON.stringify(ids) })
      .map((product) => [product.id, product]),
  )
}

const byIds = prepareOnce((db, params) => db.select().from(products).where(whereIn(products.id, params.ids)).prepare())

export function productLabel(row: object): string {
  const { article, name } = row as Product
  return `${article} ${name}`
}

export interface PriceRow {
  id?: number
  from: string
  price: number
}

export function pricesOf(db: Database, productId: number): PriceRow[] {
  const { id, from, price } = productPrices
  const rows = db.select({ id, from, price }).from(productPrices)
  return rows.where(eq(productPrices.product_id, productId)).orderBy(asc(from)).all()
}

/** Replaces the prices of a product; rows keep their ids. Call it inside `write`. */
export function savePrices(db: Database, productId: number, rows: readonly PriceRow[]): [PriceRow[], PriceRow[]] {
  const before = pricesOf(db, productId)
  // Rows may swap days, and each day is unique, so updating them one by one would fail.
  db.delete(productPrices).where(eq(productPrices.product_id, productId)).run()
  for (const { id, from, price } of rows) db.insert(productPrices).values({ id, product_id: productId, from, price }).run()
  return [before, pricesOf(db, productId)]
}

/** The price that holds on a day (YYYY-MM-DD), none before the first one, and the one that follows. */
export function currentPrices<P extends PriceRow>(prices: readonly P[], day: string) {
  return { current: prices.findLast(({ from }) => from <= day), next: prices.find(({ from }) => from > day) }
}

export function priceOn(prices: readonly PriceRow[], day: string): number | null {
  return currentPrices(prices, day).current?.price ?? null
}
