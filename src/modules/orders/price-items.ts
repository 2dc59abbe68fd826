import { sizesOf } from '../../core/pricing.ts'
import type { Acting } from '../../web/acting.ts'
import { forbidden } from '../../web/http.ts'
import { discountLimit } from '../companies/discount-limit.ts'
import { refuseUnmeantRaises, requireReason, requireWithinLimit } from './agreed-discount.ts'
import { isDealer } from './catalog.ts'
import { priceCustom } from './custom-lines.ts'
import { agreedOn, type Item } from './items.ts'
import { limited, requirePriced } from './line-totals.ts'
import { type Agreement, type PricedItem, type Pricing, readPricing, refuseOtherPrice, type SentItem } from './pricing.ts'
import { agreedFor, findSold, priceProduct } from './product-lines.ts'

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

/**
 * The lines of an order as they are saved.
 * @throws ValidationFailed with what is wrong with them, by their fields; HttpError (403) as `priceItems`
 */
export function priceOrder(
  acting: Pick<Acting, 'server' | 'actor'>,
  companyId: number | null,
  sent: readonly SentItem[],
  written: readonly Item[],
  agreement: Agreement,
): Item[] {
  requireWithinLimit(agreement, discountLimit(acting.server.db, acting.actor))
  const priced = priceItems(acting, companyId, sent, written, agreement)
  const items = requirePriced(priced)
  refuseUnmeantRaises(sent, priced, agreement)
  requireReason(items)
  return items
}

function priceItem(pricing: Pricing, sent: SentItem, before: Item | undefined): PricedItem {
  if (sent.agreed != null && isDealer(pricing.actor)) throw forbidden('You cannot set discounts.')
  if (before && isAsWritten(pricing, sent, before)) return keepItem(pricing, sent, before)
  if (pricing.catalog && sent.product_id) return priceProduct(pricing, sent, sent.product_id, before)
  return priceCustom(pricing, sent, before)
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

/** A form without discounts changes none, and one for the whole order is for what is still sold. */
function sameAgreed(pricing: Pricing, sent: SentItem, before: Item): boolean {
  if (sent.agreed === undefined || (sent.agreed === null && pricing.limit === null)) return true
  const agreed = sent.agreed ?? (findSold(pricing, before) ? agreedFor(pricing, sent) : null)
  return agreed === agreedOn(before)
}

function keepItem(pricing: Pricing, sent: SentItem, before: Item): PricedItem {
  refuseOtherPrice(pricing, sent, [before.price, before.piece_price])
  return { item: { ...before, quantity: sent.quantity } }
}
