import { findSizeProblem, piecePrice, sizesOf, type UnitPrice } from '../../core/pricing.ts'
import type { Database } from '../../database/index.ts'
import type { Problem } from '../../web/http.ts'
import type { Product } from '../products/product.ts'
import { findLimitProblem } from './agreed-discount.ts'
import { isDealer } from './catalog.ts'
import { agreedOn, type Item } from './items.ts'
import { limited } from './line-totals.ts'
import { gone, type PricedItem, type PricesOfToday, type Pricing, readPrices, refuseOtherPrice, type SentItem, sizeOf } from './pricing.ts'

export function priceProduct(pricing: Pricing, sent: SentItem, productId: number, before: Item | undefined): PricedItem {
  const product = pricing.products.get(productId)
  if (!product?.active) return { errors: { product_id: gone } }
  const problem = findSizeProblem(product, sizeOf(sent))
  if (problem) return { errors: { [problem.part]: describeRange(problem) } }
  const category_id = categoryOf(pricing, sent, product, before)
  const agreed = agreedFor(pricing, sent)
  const excess = findLimitProblem(agreed, pricing.limit)
  if (excess) return { errors: { agreed: excess } }
  const ownPrice = pricing.priceOf({ id: product.id, category_id })
  const unitPrice = pricing.priceOf({ id: product.id, category_id }, agreed)
  if (!ownPrice || !unitPrice) return { errors: { product_id: { message: 'This product is not for sale yet.' } } }
  const bypass = category_id === before?.category_id ? undefined : findCategoryProblem(pricing, product, ownPrice)
  if (bypass && agreed === null) return { errors: { category_id: bypass } }
  const measured = sizesOf(product.basis)
  const piece_price = piecePrice(unitPrice, product, sizeOf(sent))
  refuseOtherPrice(pricing, sent, [unitPrice.price, piece_price])
  return {
    item: {
      ...(before && { id: before.id }),
      category_id,
      name: product.name,
      quantity: sent.quantity,
      price: unitPrice.price,
      discount: unitPrice.discount,
      product_id: product.id,
      article: product.article,
      unit: product.unit,
      basis: product.basis,
      width: measured.includes('width') ? sent.width : null,
      height: measured.includes('height') ? sent.height : null,
      piece_price,
      price_origin: unitPrice.origin,
      priced_on: pricing.day,
      ...(agreed !== null && { agreed_reason: reasonFor(pricing, agreed, before) }),
      vat: pricing.vat,
    },
    ...(agreed !== null && { without: piecePrice(ownPrice, product, sizeOf(sent)) }),
  }
}

/** A category chosen by hand gives no more than the product's own does, or than somebody with a limit may give. */
function findCategoryProblem({ priceOf, limit }: Pricing, { id, category_id }: Product, { discount }: UnitPrice): Problem | undefined {
  const usual = priceOf({ id, category_id })?.discount ?? 0
  return limit !== null && discount > usual ? findLimitProblem(discount, limit) : undefined
}

/** A discount that the line has already keeps its reason until another is given. */
function reasonFor({ agreement }: Pricing, agreed: number, before: Item | undefined): string | null {
  const own = before && agreedOn(before) === agreed ? before.agreed_reason : null
  return agreement.agreed_reason ?? own ?? null
}

function describeRange({ least, most }: { least: number; most: number | null }): Problem {
  return most === null
    ? { message: 'Enter a size of at least {least} mm.', params: { least } }
    : { message: 'Enter a size from {least} to {most} mm.', params: { least, most } }
}

/** The product's, unless somebody who is no dealer chooses another. */
function categoryOf({ actor }: Pricing, { category_id }: SentItem, product: Product, before: Item | undefined): number | null {
  const chosen = category_id != null && (category_id !== before?.category_id || product.id === before.product_id)
  return chosen && !isDealer(actor) ? category_id : product.category_id
}

export function agreedFor({ agreement }: Pricing, { agreed }: SentItem): number | null {
  return agreed ?? agreement.agreed ?? null
}

/** Lines at the prices of today, in the size and category and with the agreed discount that they have; those that are not sold like that today stay as written. */
export function renewItems(db: Database, companyId: number | null, written: readonly Item[]): Item[] {
  const prices = readPrices(db, companyId, written)
  return written.map((item) => {
    const priced = limited(() => ({ item: renewItem(prices, item) }))
    return 'item' in priced ? priced.item : item
  })
}

function renewItem(prices: PricesOfToday, item: Item): Item {
  const sold = findSold(prices, item)
  if (!sold) return item
  const { product, unitPrice } = sold
  const { price, discount, origin } = unitPrice
  const piece_price = piecePrice(unitPrice, product, sizeOf(item))
  return { ...item, price, discount, piece_price, price_origin: origin, priced_on: prices.day, vat: prices.vat }
}

/** The product of a line and what it costs today, if it is sold in this size. */
export function findSold({ products, priceOf }: PricesOfToday, item: Item): { product: Product; unitPrice: UnitPrice } | undefined {
  const product = products.get(item.product_id ?? 0)
  if (!product?.active || product.basis !== item.basis || findSizeProblem(product, sizeOf(item))) return undefined
  const unitPrice = priceOf({ id: product.id, category_id: item.category_id }, agreedOn(item))
  return unitPrice && { product, unitPrice }
}
