import { and, asc, eq, ne, sql } from 'drizzle-orm'
import { allows } from '../../core/access.ts'
import { fold } from '../../core/text.ts'
import { type Database, prepareOnce, productPrices, products, whereIn } from '../../database/index.ts'
import { ValidationFailed } from '../../web/form/submit.ts'
import type { FindRecord } from '../../web/http.ts'
import type { AttachmentSource } from '../../web/uploads/attachments.ts'
import { may } from './access.ts'

export type Product = typeof products.$inferSelect

const byId = prepareOnce((db, given) => db.select().from(products).where(eq(products.id, given.id)).prepare())

export const findProduct: FindRecord<Product> = (db, id) => byId(db).get({ id })

export function findProducts(db: Database, ids: readonly number[]): Map<number, Product> {
  return new Map(
    byIds(db)
      .all({ ids: JSON.stringify(ids) })
      .map((product) => [product.id, product]),
  )
}

const byIds = prepareOnce((db, given) => db.select().from(products).where(whereIn(products.id, given.ids)).prepare())

export function productLabel(row: object): string {
  const { article, name } = row as Product
  return `${article} ${name}`
}

export const productAttachments: AttachmentSource = (db, key) => {
  const found = withPicture(db).all({ key })
  return found.map((product) => ({
    record: { entity: 'products', id: product.id },
    name: product.name,
    mayRead: (actor) => allows(may.view, actor, product),
  }))
}

// The second condition lets SQLite use the index of products with pictures.
const withPicture = prepareOnce((db, given) =>
  db
    .select()
    .from(products)
    .where(and(eq(products.image, given.key), sql`image is not null`))
    .prepare(),
)

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

/** The price that holds on a day (YYYY-MM-DD); nothing before the first one. */
export function priceOn(prices: readonly PriceRow[], day: string): number | null {
  return prices.findLast(({ from }) => from <= day)?.price ?? null
}

/** Articles are told apart without case and with ё as е. */
export function refuseTakenArticle(db: Database, article: string, id = 0): void {
  const same = and(eq(products.article_search, fold(article).trim()), ne(products.id, id))
  if (db.select({ id: products.id }).from(products).where(same).get())
    throw new ValidationFailed({ article: 'Another product has this article.' })
}
