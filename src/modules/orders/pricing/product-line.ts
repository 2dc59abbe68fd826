import { isDealer } from '../../../core/access.ts'
import { findSizeProblems, piecePrice, type Size, sizesOf, type UnitPrice } from '../../../core/pricing.ts'
import { forbidden, type Problem } from '../../../http/request/errors.ts'
import type { Product } from '../../products/product.ts'
import type { Catalog, PricesOfToday } from './catalog.ts'
import { agreedOn, type Item, type SentItem } from './lines.ts'

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

export const gone: Problem = { message: 'This product is no longer for sale. Choose another.' }

/** A line with a product that is new to it, or whose size, category or agreed discount is. */
export function priceProduct(
  catalog: Catalog,
  sent: SentItem,
  productId: number,
  before: Item | undefined,
  agreement: Agreement,
): PricedItem {
  const product = catalog.products.get(productId)
  if (!product?.active) return { errors: { product_id: gone } }
  const size = sizeOf(sent)
  const problems = findSizeProblems(product, size)
  if (problems.length > 0)
    return {
      errors: Object.fromEntries(
        problems.map((one) => [one.part, size[one.part] === null ? missingSize(product, one.part) : describeRange(one)]),
      ),
    }
  const category_id = categoryOf(catalog, sent, product, before)
  const agreed = agreedFor(agreement, sent)
  const excess = findLimitProblem(agreed, catalog.limit)
  if (excess) return { errors: { agreed: excess } }
  const ownPrice = catalog.priceOf({ id: product.id, category_id })
  const unitPrice = catalog.priceOf({ id: product.id, category_id }, agreed)
  if (!ownPrice || !unitPrice) return { errors: { product_id: { message: 'This product has no price yet.' } } }
  const bypass = category_id === before?.category_id ? undefined : findCategoryProblem(catalog, product, ownPrice)
  if (bypass && agreed === null) return { errors: { category_id: bypass } }
  const piece_price = piecePrice(unitPrice, product, sizeOf(sent))
  refuseOtherPrice(catalog, sent, [unitPrice.price, piece_price])
  const without = agreed === null ? undefined : piecePrice(ownPrice, product, sizeOf(sent))
  const tooMuch = without !== undefined && piece_price < without ? findListProblem(catalog, product, sizeOf(sent), piece_price) : undefined
  if (tooMuch) return { errors: { agreed: tooMuch } }
  return {
    item: {
      ...(before && { id: before.id }),
      ...describeProduct(product, sent),
      ...{ category_id, quantity: sent.quantity, piece_price, ...pricesOf(catalog, unitPrice) },
      ...(agreed !== null && { agreed_reason: reasonFor(agreement, agreed, before) }),
    },
    ...(without !== undefined && { without }),
  }
}

/** What a line keeps of its product, whatever becomes of that. */
function describeProduct({ id, name, article, unit, basis }: Product, { width, height }: SentItem) {
  const measured = sizesOf(basis)
  return {
    ...{ product_id: id, name, article, unit, basis },
    width: measured.includes('width') ? width : null,
    height: measured.includes('height') ? height : null,
  }
}

const pricesOf = ({ day, vat }: PricesOfToday, { price, discount, origin }: UnitPrice) => ({
  ...{ price, discount, price_origin: origin, priced_on: day, vat },
})

/** @param limit the highest discount in percent that somebody may agree on; null for none */
export function findLimitProblem(agreed: number | null | undefined, limit: number | null): Problem | undefined {
  if (agreed == null) return undefined
  if (limit === null) return { message: 'You may not give agreed discounts. A superadministrator sets how much you may give.' }
  return agreed > limit ? { message: 'You may give up to {limit}%.', params: { limit } } : undefined
}

/** A discount on a contract price takes no more off the list price than somebody may give. */
function findListProblem({ limit, lists }: Catalog, product: Product, size: Size, piece: number): Problem | undefined {
  const list = lists.get(product.id)
  if (limit === null || list === undefined) return undefined
  const least = piecePrice({ price: list, discount: limit }, product, size)
  const message = 'You may give up to {limit}% off the list price: a piece may cost {least} or more.'
  return piece < least ? { message, params: { limit, least: { kopecks: least } } } : undefined
}

/** A category chosen by hand gives no more than the product's own does, or than somebody with a limit may give. */
function findCategoryProblem({ priceOf, limit }: Catalog, { id, category_id }: Product, { discount }: UnitPrice): Problem | undefined {
  const usual = priceOf({ id, category_id })?.discount ?? 0
  return discount > usual ? findLimitProblem(discount, limit) : undefined
}

/** A discount that the line has already keeps its reason until another is given. */
function reasonFor(agreement: Agreement, agreed: number, before: Item | undefined): string | null {
  const own = before && agreedOn(before) === agreed ? before.agreed_reason : null
  return agreement.agreed_reason ?? own ?? null
}

function missingSize({ basis }: Product, part: keyof Size): Problem {
  return { message: basis === 'length' ? 'Enter the length.' : part === 'width' ? 'Enter the width.' : 'Enter the height.' }
}

function describeRange({ least, most }: { least: number; most: number | null }): Problem {
  return most === null
    ? { message: 'At least {least} mm.', params: { least } }
    : { message: 'From {least} to {most} mm.', params: { least, most } }
}

/** The product's, unless somebody who is no dealer chooses another. */
function categoryOf({ actor }: Catalog, { category_id }: SentItem, product: Product, before: Item | undefined): number | null {
  const chosen = category_id != null && (category_id !== before?.category_id || product.id === before.product_id)
  return chosen && !isDealer(actor) ? category_id : product.category_id
}

export function agreedFor(agreement: Agreement, { agreed }: SentItem): number | null {
  return agreed ?? agreement.agreed ?? null
}

/** While the catalog is in use, dealers set no prices: one that is sent must be theirs. */
export function refuseOtherPrice({ actor, inUse }: Catalog, { price }: SentItem, own: (number | null | undefined)[]): void {
  if (inUse && isDealer(actor) && price != null && !own.includes(price)) throw forbidden('You cannot set prices.')
}

/** A line at the price of today, in the size and category and with the agreed discount that it has; as it is where it is not sold like that. */
export function renewItem(prices: PricesOfToday, item: Item): Item {
  const sold = findSold(prices, item)
  if (!sold) return item
  const { product, unitPrice } = sold
  return { ...item, ...pricesOf(prices, unitPrice), piece_price: piecePrice(unitPrice, product, sizeOf(item)) }
}

/** The product of a line and what it costs today, if it is sold in this size. */
export function findSold({ products, priceOf }: PricesOfToday, item: Item): { product: Product; unitPrice: UnitPrice } | undefined {
  const product = products.get(item.product_id ?? 0)
  if (!product?.active || product.basis !== item.basis || findSizeProblems(product, sizeOf(item)).length > 0) return undefined
  const unitPrice = priceOf({ id: product.id, category_id: item.category_id }, agreedOn(item))
  return unitPrice && { product, unitPrice }
}

const sizeOf = ({ width, height }: Pick<SentItem, keyof Size>): Size => ({ width: width ?? null, height: height ?? null })
