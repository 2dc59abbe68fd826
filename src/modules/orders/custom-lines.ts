import type { Actor } from '../../core/access.ts'
import type { Problem } from '../../web/http.ts'
import { isDealer, mayAddCustom } from './catalog.ts'
import { type Item, lineDiscount, plainItem } from './items.ts'
import { gone, type PricedItem, type Pricing, refuseOtherPrice, type SentItem } from './pricing.ts'

const unagreed: Problem = { message: 'Only products have an agreed discount. Change the price instead.' }

/** A line without a product. While the catalog is in use, a dealer's one has no price until somebody else sets it. */
export function priceCustom(pricing: Pricing, sent: SentItem, written: Item | undefined): PricedItem {
  if (sent.agreed != null) return { errors: { agreed: unagreed } }
  const { actor, catalog } = pricing
  const before = catalog && written?.piece_price != null ? undefined : written && plainItem(written)
  const { name = before?.name, category_id = before?.category_id } = sent
  const errors = catalog ? findCustomProblems(actor, { name, category_id }, before, written) : {}
  if (Object.keys(errors).length > 0) return { errors }
  const waits = catalog && isDealer(actor)
  if (waits) refuseOtherPrice(pricing, sent, [before?.price])
  // The price that a product was sold at holds its discount already.
  const isNet = written?.piece_price != null && sent.price === written.piece_price
  const own = before?.name === name && before?.category_id === category_id ? before?.price : undefined
  return {
    item: {
      ...(written && { id: written.id }),
      category_id: category_id ?? null,
      name: name as string,
      quantity: sent.quantity,
      price: (waits ? own : sent.price) ?? null,
      discount: isNet ? 0 : lineDiscount(category_id ?? null, before, pricing.discounts),
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
