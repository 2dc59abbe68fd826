import { and, eq } from 'drizzle-orm'
import { type Actor, isDealer } from '../../../core/access.ts'
import { discountOf, type VatRate } from '../../../core/pricing.ts'
import { cachedUntilWrite, companies, type Database, findSettings, prepareOnce, products } from '../../../database/index.ts'
import type { Context } from '../../../http/request/context.ts'
import { today } from '../../../i18n/format.ts'
import { discountsOf } from '../../companies/company.ts'
import { discountLimit } from '../../companies/discount-limit.ts'
import { listPricesFrom } from '../../products/list-prices.ts'
import { findBuyer, type PriceOf, pricesFor } from '../../products/own-price.ts'
import { findProducts, type Product } from '../../products/product.ts'
import type { Item } from './lines.ts'

/** What products cost a company today. */
export interface PricesOfToday {
  products: ReadonlyMap<number, Product>
  priceOf: PriceOf
  vat: VatRate | null
  day: string
}

/** What the lines of an order of a company are priced by, as somebody sends them. */
export interface Catalog extends PricesOfToday {
  actor: Actor
  inUse: boolean
  /** Whether the actor may write lines without a product. */
  custom: boolean
  discounts: Discounts
  /** The highest agreed discount in percent that the actor may give; null for none. */
  limit: number | null
  /** What a unit of a product costs before all discounts, or will at first. */
  lists: ReadonlyMap<number, number>
}

type Chosen = { product_id?: number | null }

export function readPrices(db: Database, companyId: number | null, lines: readonly Chosen[]): PricesOfToday {
  const day = today()
  const ids = lines.flatMap(({ product_id }) => product_id ?? [])
  return {
    products: findProducts(db, ids),
    priceOf: pricesFor(db, findBuyer(db, companyId, day), ids),
    vat: findSettings(db).vat,
    day,
  }
}

export function readCatalog(
  { server: { db }, actor }: Pick<Context, 'server' | 'actor'>,
  companyId: number | null,
  lines: readonly Chosen[],
): Catalog {
  const prices = readPrices(db, companyId, lines)
  return {
    ...prices,
    actor,
    inUse: usesCatalog(db),
    custom: mayAddCustom(db, actor),
    discounts: discountsInForce(db, companyId),
    limit: discountLimit(db, actor),
    lists: listPricesFrom(db, [...prices.products.keys()], prices.day),
  }
}

/** Whether orders are made of products: the catalog is on, and something is for sale. */
export function usesCatalog(db: Database): boolean {
  return findSettings(db).catalog && cachedUntilWrite(db, 'active products', () => anyActive(db).get() !== undefined)
}

const anyActive = prepareOnce((db) => db.select({ id: products.id }).from(products).where(eq(products.active, true)).limit(1).prepare())

/** Who may write lines without a product: staff, and dealers whose company has that switched on. */
export function mayAddCustom(db: Database, actor: Actor): boolean {
  return !isDealer(actor) || ordersCustom(db).get({ company: actor.company_id }) !== undefined
}

const ordersCustom = prepareOnce((db, params) =>
  db
    .select({ id: companies.id })
    .from(companies)
    .where(and(eq(companies.id, params.company), eq(companies.custom_lines, true)))
    .prepare(),
)

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
