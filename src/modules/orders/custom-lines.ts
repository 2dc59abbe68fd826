import { lineCost } from '../../core/order-cost.ts'
import { grossPiece, leastPrice } from '../../core/pricing.ts'
import type { Problem } from '../../web/http.ts'
import { isDealer } from './catalog.ts'
import { type Item, lineDiscount, plainItem } from './items.ts'
import { gone, type PricedItem, type Pricing, refuseOtherPrice, type SentItem } from './pricing.ts'

const unagreed: Problem = { message: 'Only products have an agreed discount. Change the price instead.' }

/** A line without a product. While the catalog is in use, a dealer's one has no price until somebody else sets it. */
export function priceCustom(pricing: Pricing, sent: SentItem, written: Item | undefined): PricedItem {
  if (sent.agreed != null) return { errors: { agreed: unagreed } }
  const { actor, catalog } = pricing
  const before = catalog && written?.piece_price != null ? undefined : written && plainItem(written)
  const { name = before?.name, category_id = before?.category_id } = sent
  const errors = catalog ? findCustomProblems(pricing, { name, category_id }, before, written) : {}
  if (Object.keys(errors).length > 0) return { errors }
  const waits = catalog && isDealer(actor)
  if (waits) refuseOtherPrice(pricing, sent, [before?.price])
  // The price that a product was sold at holds its discount already.
  const isNet = written?.piece_price != null && sent.price === written.piece_price
  const own = before?.name === name && before?.category_id === category_id ? before?.price : undefined
  const item = {
    ...(written && { id: written.id, ...replacedBy(written) }),
    category_id: category_id ?? null,
    name: name as string,
    quantity: sent.quantity,
    price: (waits ? own : sent.price) ?? null,
    discount: isNet ? 0 : lineDiscount(category_id ?? null, before, pricing.discounts),
    vat: written ? written.vat : pricing.vat,
  }
  const problem = written && findPriceProblem(pricing, item, written)
  return problem ? { errors: { price: problem } } : { item }
}

type Replaced = Pick<Item, 'replaced_price' | 'replaced_discount'>

/** What a line that loses its product, or has lost it before, keeps of it. */
function replacedBy({ price, discount, piece_price, basis, width = null, height = null, ...written }: Item): Replaced {
  if (piece_price == null || price === null || !basis)
    return { replaced_price: written.replaced_price, replaced_discount: written.replaced_discount }
  return { replaced_price: grossPiece({ price, discount }, basis, { width, height }, piece_price), replaced_discount: discount }
}

/** Without its product a line is no cheaper than that would be with the highest discount that somebody may give, or had. */
function findPriceProblem({ actor, limit }: Pricing, item: Item, written: Item): Problem | undefined {
  const { replaced_price: gross, replaced_discount } = item
  if (gross == null || isDealer(actor) || limit === 100) return undefined
  if (item.price === null && written.price === null) return undefined
  const least = leastPrice(gross, Math.max(limit ?? 0, replaced_discount ?? 0))
  const before = written.price === null ? least : lineCost({ ...written, quantity: 1 })
  if (lineCost({ ...item, quantity: 1 }) >= Math.min(least, before)) return undefined
  const message = 'You may give up to {limit}%: this line had a product, and a piece may cost {least} or more.'
  return { message, params: { limit: limit ?? 0, least: { kopecks: Math.min(least, before) } } }
}

type Custom = Pick<SentItem, 'name' | 'category_id'>

function findCustomProblems({ custom }: Pricing, { name, category_id }: Custom, before?: Item, written?: Item): Record<string, Problem> {
  const isGone = written?.piece_price != null && written.product_id === null
  if (isGone && (!name || name === written.name)) return { product_id: gone }
  if (!before && !custom) return { product_id: { message: 'Choose a product.' } }
  if (!name) return { product_id: { message: 'Choose a product or enter a name.' } }
  const lacksCategory = category_id == null && !(before && before.category_id === null)
  return lacksCategory ? { category_id: { message: 'Required' } } : {}
}
