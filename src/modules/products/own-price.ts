import { and, desc, eq, gte, isNull, lte, or } from 'drizzle-orm'
import { piecePrice, type Terms, type UnitPrice, unitPriceFor } from '../../core/pricing.ts'
import { categoryCompany, companies, contractPrices, type Database, prepareOnce, whereIn } from '../../database/index.ts'
import { listPricesOn } from './list-prices.ts'
import type { Product } from './product.ts'

/** What a company pays on a day (YYYY-MM-DD), as far as it does not depend on the product. */
interface Buyer {
  companyId: number | null
  day: string
  base: number | null
  categories: ReadonlyMap<number, number>
}

export function findBuyer(db: Database, companyId: number | null, day: string): Buyer {
  if (companyId === null) return { companyId, day, base: null, categories: new Map() }
  const company = baseDiscount(db).get({ id: companyId })
  const rows = categoryDiscounts(db).all({ id: companyId })
  return { companyId, day, base: company?.base ?? null, categories: new Map(rows.map((row) => [row.category, row.discount])) }
}

const baseDiscount = prepareOnce((db, params) =>
  db.select({ base: companies.discount }).from(companies).where(eq(companies.id, params.id)).prepare(),
)

const categoryDiscounts = prepareOnce((db, params) => {
  const { category_id, discount, company_id } = categoryCompany
  return db.select({ category: category_id, discount }).from(categoryCompany).where(eq(company_id, params.id)).prepare()
})

type Priced = Pick<Product, 'id' | 'category_id'>

/** With a discount in percent that was agreed on for it, if any. */
export type PriceOf = (product: Priced, agreed?: number | null) => UnitPrice | undefined

/** Reads at once what products cost that day: what a company pays for a unit of one of them; nothing if it is not for sale then. */
export function pricesFor(db: Database, buyer: Buyer, productIds: readonly number[]): PriceOf {
  const { companyId, day } = buyer
  const lists = listPricesOn(db, productIds, day)
  const held = contractPricesOn(db).all({ ids: JSON.stringify(productIds), day, company: companyId })
  const contracts = new Map(held.map(({ id, price }) => [id, price]))
  return ({ id, category_id }, agreed = null) => {
    const terms: Terms = {
      contract: contracts.get(id) ?? null,
      agreed,
      category: buyer.categories.get(category_id ?? 0) ?? null,
      base: buyer.base,
    }
    return unitPriceFor(lists.get(id) ?? null, terms) ?? undefined
  }
}

/** What a company pays for a unit of each product; nothing for those that are not for sale on that day. */
export function unitPrices(db: Database, buyer: Buyer, products: readonly Priced[]): Map<number, UnitPrice> {
  const ids = products.map(({ id }) => id)
  const priceOf = pricesFor(db, buyer, ids)
  return new Map(
    products.flatMap((product) => {
      const price = priceOf(product)
      return price ? [[product.id, price] as const] : []
    }),
  )
}

/** A unit after the discount. */
export function afterDiscount(price: UnitPrice): number {
  const unsized = { basis: 'each', width_min: null, width_max: null, height_min: null, height_max: null, minimum: null } as const
  return piecePrice(price, unsized, { width: null, height: null })
}

const contractPricesOn = prepareOnce((db, params) => {
  const { company_id, product_id, from, until, price } = contractPrices
  const rows = db.select({ id: product_id, price }).from(contractPrices)
  const holds = and(lte(from, params.day), or(isNull(until), gte(until, params.day)))
  return rows
    .where(and(eq(company_id, params.company), whereIn(product_id, params.ids), holds))
    .orderBy(desc(from))
    .prepare()
})
