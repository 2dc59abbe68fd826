import type { Actor } from '../../core/access.ts'
import { lineCost, orderCost } from '../../core/order-cost.ts'
import { AmountTooLarge, findSizeProblem, piecePrice, type Size, sizesOf, type VatRate } from '../../core/pricing.ts'
import { findSettings } from '../../database/index.ts'
import type { Acting } from '../../web/acting.ts'
import { ValidationFailed } from '../../web/form/submit.ts'
import { forbidden, type Problem } from '../../web/http.ts'
import { formatMoney, today } from '../../web/view/format.ts'
import { findBuyer, type PriceOf, pricesFor } from '../products/own-price.ts'
import { findProducts, type Product } from '../products/product.ts'
import { type Agreement, discountLimit, findLimitProblem } from './agreed-discount.ts'
import { isDealer, mayAddCustom, usesCatalog } from './catalog.ts'
import { agreedOn, type Discounts, discountsInForce, type Item, lineDiscount, plainItem } from './items.ts'

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

export type PricedItem = { item: Item } | { errors: Record<string, Problem> }

interface Pricing {
  actor: Actor
  catalog: boolean
  vat: VatRate | null
  day: string
  discounts: Discounts
  products: ReadonlyMap<number, Product>
  priceOf: PriceOf
  agreement: Agreement
  limit: number | null
}

/**
 * Prices each line of an order: with a product anew where product, size or category have changed, and as written where they have not;
 * without one as it was sent.
 * @throws HttpError (403) when somebody names a price or an agreed discount that they may not set
 */
export function priceItems(
  acting: Pick<Acting, 'server' | 'actor'>,
  companyId: number | null,
  sent: readonly SentItem[],
  written: readonly Item[],
  agreement: Agreement = {},
): PricedItem[] {
  const pricing = readPricing(acting, companyId, sent, agreement)
  const byId = new Map(written.map((item) => [item.id, item]))
  return sent.map((line) => limited(() => priceItem(pricing, line, line.id === undefined ? undefined : byId.get(line.id))))
}

/** Lines at the prices of today, in the size and category and with the agreed discount that they have; those that are not sold like that today stay as written. */
export function renewItems(acting: Pick<Acting, 'server' | 'actor'>, companyId: number | null, written: readonly Item[]): Item[] {
  const pricing = readPricing(acting, companyId, written, {})
  return written.map((item) => {
    const priced = limited(() => ({ item: renewItem(pricing, item) }))
    return 'item' in priced ? priced.item : item
  })
}

function renewItem({ products, priceOf, day, vat }: Pricing, item: Item): Item {
  const product = products.get(item.product_id ?? 0)
  const size = { width: item.width ?? null, height: item.height ?? null }
  if (!product?.active || product.basis !== item.basis || findSizeProblem(product, size)) return item
  const unitPrice = priceOf({ id: product.id, category_id: item.category_id }, agreedOn(item))
  if (!unitPrice) return item
  const { price, discount, origin } = unitPrice
  return { ...item, price, discount, piece_price: piecePrice(unitPrice, product, size), price_origin: origin, priced_on: day, vat }
}

function readPricing(
  { server: { db }, actor }: Pick<Acting, 'server' | 'actor'>,
  companyId: number | null,
  lines: readonly Pick<SentItem, 'product_id'>[],
  agreement: Agreement,
): Pricing {
  const day = today()
  const ids = lines.flatMap(({ product_id }) => product_id ?? [])
  return {
    actor,
    catalog: usesCatalog(db),
    vat: findSettings(db).vat,
    day,
    discounts: discountsInForce(db, companyId),
    products: findProducts(db, ids),
    priceOf: pricesFor(db, findBuyer(db, companyId, day), ids),
    agreement,
    limit: discountLimit(db, actor),
  }
}

/** @throws ValidationFailed with what is wrong with the lines, by their fields */
export function requirePriced(priced: readonly PricedItem[]): Item[] {
  const errors = priced.flatMap((one, at) =>
    'errors' in one ? Object.entries(one.errors).map(([part, problem]) => [`items.${at}.${part}`, problem] as const) : [],
  )
  if (errors.length > 0) throw new ValidationFailed(Object.fromEntries(errors))
  return priced.flatMap((one) => ('item' in one ? one.item : []))
}

/** @throws ValidationFailed when a number does not hold the sum exactly */
export function costOf(items: readonly Item[]): number {
  try {
    return orderCost(items)
  } catch (error) {
    if (error instanceof AmountTooLarge) throw new ValidationFailed({ items: 'The amount is too large.' })
    throw error
  }
}

/** @throws ValidationFailed (409) when the page has shown another total */
export function refuseUnseenTotal(cost: number, seen: number | null | undefined): void {
  if (seen == null || seen === cost) return
  const params = { seen: formatMoney(seen), now: formatMoney(cost) }
  const message = 'The total was {seen} and is now {now}. Check it and send the order again.'
  throw new ValidationFailed({ items: { message, params, status: 409 } })
}

function limited(price: () => PricedItem): PricedItem {
  try {
    const priced = price()
    if ('item' in priced) lineCost(priced.item)
    return priced
  } catch (error) {
    if (error instanceof AmountTooLarge) return { errors: { quantity: { message: 'The amount is too large.' } } }
    throw error
  }
}

function priceItem(pricing: Pricing, sent: SentItem, before: Item | undefined): PricedItem {
  if (sent.agreed != null && isDealer(pricing.actor)) throw forbidden('You cannot set discounts.')
  if (before && isAsWritten(pricing, sent, before)) return keepItem(pricing, sent, before)
  if (pricing.catalog && sent.product_id) return priceProduct(pricing, sent, sent.product_id, before)
  return sent.agreed == null ? priceCustom(pricing, sent, before) : { errors: { agreed: unagreed } }
}

function isAsWritten(pricing: Pricing, sent: SentItem, before: Item): boolean {
  if (before.piece_price == null) return false
  if (pricing.catalog)
    return (
      (before.product_id ?? null) === (sent.product_id ?? null) &&
      sameSize(before, sent) &&
      sameCategory(pricing, sent, before) &&
      sameAgreed(pricing, sent, before)
    )
  return sent.name === before.name && sent.category_id === before.category_id && sent.price === before.piece_price
}

function sameSize(before: Item, sent: SentItem): boolean {
  return sizesOf(before.basis ?? 'each').every((part) => (sent[part] ?? null) === (before[part] ?? null))
}

function sameCategory({ actor }: Pricing, { category_id }: SentItem, before: Item): boolean {
  return isDealer(actor) || category_id == null || category_id === before.category_id
}

/** A form without discounts changes none. */
function sameAgreed(pricing: Pricing, sent: SentItem, before: Item): boolean {
  return isDealer(pricing.actor) || sent.agreed === undefined || agreedFor(pricing, sent) === agreedOn(before)
}

function agreedFor({ agreement }: Pricing, { agreed }: SentItem): number | null {
  return agreed ?? agreement.agreed ?? null
}

function keepItem(pricing: Pricing, sent: SentItem, before: Item): PricedItem {
  refuseOtherPrice(pricing, sent, [before.price, before.piece_price])
  return { item: { ...before, quantity: sent.quantity } }
}

/** While the catalog is in use, dealers set no prices: one that is sent must be theirs. */
function refuseOtherPrice({ actor, catalog }: Pricing, { price }: SentItem, own: (number | null | undefined)[]): void {
  if (catalog && isDealer(actor) && price != null && !own.includes(price)) throw forbidden('You cannot set prices.')
}

const unagreed: Problem = { message: 'Only products have an agreed discount. Change the price instead.' }

const gone: Problem = { message: 'This product is no longer for sale. Choose another.' }

function priceProduct(pricing: Pricing, sent: SentItem, productId: number, before: Item | undefined): PricedItem {
  const product = pricing.products.get(productId)
  if (!product?.active) return { errors: { product_id: gone } }
  const problem = findSizeProblem(product, sizeOf(sent))
  if (problem) return { errors: { [problem.part]: describeRange(problem) } }
  const category_id = categoryOf(pricing, sent, product, before)
  const agreed = agreedFor(pricing, sent)
  const excess = findLimitProblem(agreed, pricing.limit)
  if (excess) return { errors: { agreed: excess } }
  const unitPrice = pricing.priceOf({ id: product.id, category_id }, agreed)
  if (!unitPrice) return { errors: { product_id: { message: 'This product is not for sale yet.' } } }
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
  }
}

/** A discount that the line has already keeps its reason until another is given. */
function reasonFor({ agreement }: Pricing, agreed: number, before: Item | undefined): string | null {
  const own = before && agreedOn(before) === agreed ? before.agreed_reason : null
  return agreement.agreed_reason ?? own ?? null
}

const sizeOf = ({ width, height }: SentItem): Size => ({ width: width ?? null, height: height ?? null })

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

/** A line without a product. While the catalog is in use, a dealer's one has no price until somebody else sets it. */
function priceCustom(pricing: Pricing, sent: SentItem, written: Item | undefined): PricedItem {
  const { actor, catalog } = pricing
  const before = catalog && written?.piece_price != null ? undefined : written && plainItem(written)
  const { name = before?.name, category_id = before?.category_id } = sent
  const errors = catalog ? findCustomProblems(actor, { name, category_id }, before, written) : {}
  if (Object.keys(errors).length > 0) return { errors }
  const waits = catalog && isDealer(actor)
  if (waits) refuseOtherPrice(pricing, sent, [before?.price])
  const own = before?.name === name && before?.category_id === category_id ? before?.price : undefined
  return {
    item: {
      ...(written && { id: written.id }),
      category_id: category_id ?? null,
      name: name as string,
      quantity: sent.quantity,
      price: (waits ? own : sent.price) ?? null,
      discount: lineDiscount(category_id ?? null, before, pricing.discounts),
      vat: written ? written.vat : pricing.vat,
    },
  }
}

type Custom = Pick<SentItem, 'name' | 'category_id'>

function findCustomProblems(actor: Actor, { name, category_id }: Custom, before?: Item, written?: Item): Record<string, Problem> {
  const isGone = written?.piece_price != null && written.product_id === null
  if (isGone && (!name || name === written.name)) return { product_id: gone }
  if (!before && !mayAddCustom(actor)) return { product_id: { message: 'Choose a product.' } }
  if (!name) return { product_id: { message: 'Choose a product or enter a name.' } }
  const lacksCategory = category_id == null && !(before && before.category_id === null)
  return lacksCategory ? { category_id: { message: 'Required' } } : {}
}
