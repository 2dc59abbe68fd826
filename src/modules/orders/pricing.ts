import type { Actor } from '../../core/access.ts'
import type { Size, VatRate } from '../../core/pricing.ts'
import { type Database, findSettings } from '../../database/index.ts'
import type { Acting } from '../../web/acting.ts'
import { forbidden, type Problem } from '../../web/http.ts'
import { today } from '../../web/view/format.ts'
import { discountLimit } from '../companies/discount-limit.ts'
import { findBuyer, type PriceOf, pricesFor } from '../products/own-price.ts'
import { findProducts, type Product } from '../products/product.ts'
import { isDealer, mayAddCustom, usesCatalog } from './catalog.ts'
import { type Discounts, discountsInForce, type Item } from './items.ts'

/** A line as a form sends it; what the form does not show is undefined. */
export interface SentItem {
  id?: number
  product_id?: number | null
  width?: number | null
  height?: number | null
  category_id?: number | null
  name?: string | null
  quantity: number
  price?: number | null
  agreed?: number | null
}

/** What the form of an order says of agreed discounts: percent for all products that have none of their own, and why. */
export interface Agreement {
  agreed?: number | null
  agreed_reason?: string | null
  /** Whether a discount may be lower than that of the company. */
  agreed_raises?: boolean | null
}

export interface PricedLine {
  item: Item
  /** What a piece with an agreed discount would cost without it. */
  without?: number
}

export type PricedItem = PricedLine | { errors: Record<string, Problem> }

/** What products cost a company today. */
export interface PricesOfToday {
  products: ReadonlyMap<number, Product>
  priceOf: PriceOf
  vat: VatRate | null
  day: string
}

/** What the lines of an order are priced by, as somebody sends them. */
export interface Pricing extends PricesOfToday {
  actor: Actor
  catalog: boolean
  /** Whether the actor may write lines without a product. */
  custom: boolean
  discounts: Discounts
  agreement: Agreement
  limit: number | null
}

type Chosen = Pick<SentItem, 'product_id'>

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

export function readPricing(
  { server: { db }, actor }: Pick<Acting, 'server' | 'actor'>,
  companyId: number | null,
  lines: readonly Chosen[],
  agreement: Agreement,
): Pricing {
  return {
    ...readPrices(db, companyId, lines),
    actor,
    catalog: usesCatalog(db),
    custom: mayAddCustom(db, actor),
    discounts: discountsInForce(db, companyId),
    agreement,
    limit: discountLimit(db, actor),
  }
}

/** While the catalog is in use, dealers set no prices: one that is sent must be theirs. */
export function refuseOtherPrice({ actor, catalog }: Pricing, { price }: SentItem, own: (number | null | undefined)[]): void {
  if (catalog && isDealer(actor) && price != null && !own.includes(price)) throw forbidden('You cannot set prices.')
}

export const gone: Problem = { message: 'This product is no longer for sale. Choose another.' }

export const sizeOf = ({ width, height }: Pick<SentItem, keyof Size>): Size => ({ width: width ?? null, height: height ?? null })
