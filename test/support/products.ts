import { eq } from 'drizzle-orm'
import type { Database } from '../../src/database/open.ts'
import { companies, contractPrices, productPrices, products, settings } from '../../src/database/schema/index.ts'
import { formatDateTimeInput } from '../../src/i18n/format.ts'
import type { Fields } from './cabinet.ts'

/** The day in so many days, as forms have it. */
export const dayIn = (days: number) => formatDateTimeInput(Date.now() + days * 86_400_000).slice(0, 10)

type ProductValues = Omit<typeof products.$inferInsert, 'id' | 'name'> & { name?: string }

/** A product with a price from last month, unless others are given. */
export function insertProduct(
  db: Database,
  values: ProductValues,
  prices: [from: string, kopecks: number][] = [[dayIn(-30), 100_000]],
): number {
  const row = { name: `Product ${values.article}`, ...values }
  const id = Number(db.insert(products).values(row).run().lastInsertRowid)
  for (const [from, price] of prices) db.insert(productPrices).values({ product_id: id, from, price }).run()
  return id
}

export function insertContractPrice(db: Database, company_id: number, product_id: number, price: number): void {
  db.insert(contractPrices)
    .values({ company_id, product_id, from: dayIn(-1), price })
    .run()
}

/** Whether dealers of a company may write lines without a product. */
export function allowCustom(db: Database, company: number, custom_lines = true): void {
  db.update(companies).set({ custom_lines }).where(eq(companies.id, company)).run()
}

/** Orders are made of products from now on, once one is for sale. */
export function useCatalog(db: Database, values: Partial<typeof settings.$inferInsert> = {}): void {
  db.update(settings)
    .set({ catalog: true, ...values })
    .run()
}

/** The fields of a line with a product in an order form. */
export const productLine = (index: number, product_id: number | string, more: Fields = {}): Fields =>
  Object.fromEntries(Object.entries({ product_id, quantity: 1, ...more }).map(([name, value]) => [`items[${index}][${name}]`, value]))
