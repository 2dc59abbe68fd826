import { isDealer } from '../../../core/access.ts'
import { AmountTooLarge, grossPiece, leastPrice, lineCost, sizesOf } from '../../../core/pricing.ts'
import { forbidden, type Problem } from '../../../http/request/errors.ts'
import { type Catalog, lineDiscount } from './catalog.ts'
import { agreedOn, type Item, plainItem, type SentItem } from './lines.ts'
import { linesBefore } from './lines-before.ts'
import {
  type Agreement,
  agreedFor,
  findLimitProblem,
  findSold,
  gone,
  type PricedItem,
  priceProduct,
  refuseOtherPrice,
} from './product-line.ts'

/**
 * Prices each line of an order: with a product anew where product, size or category have changed, and as written where they have not;
 * without one as it was sent.
 * @throws HttpError (403) when somebody names a price or an agreed discount that they may not set
 */
export function priceLines(catalog: Catalog, sent: readonly SentItem[], written: readonly Item[], agreement: Agreement = {}): PricedItem[] {
  const before = linesBefore(catalog, sent, written)
  return sent.map((line, at) =>
    withMaking(
      limited(() => priceLine(catalog, line, before[at], agreement)),
      line,
    ),
  )
}

/** What is to be made costs nothing. */
function withMaking(priced: PricedItem, { remark = null, files = [] }: SentItem): PricedItem {
  return 'errors' in priced ? priced : { ...priced, item: { ...priced.item, remark, files } }
}

/** A line whose amount a number does not hold exactly is refused. */
export function limited(price: () => PricedItem): PricedItem {
  try {
    const priced = price()
    if ('item' in priced) lineCost(priced.item)
    return priced
  } catch (error) {
    if (error instanceof AmountTooLarge) return { errors: { quantity: { message: 'The amount is too large.' } } }
    throw error
  }
}

function priceLine(catalog: Catalog, sent: SentItem, before: Item | undefined, agreement: Agreement): PricedItem {
  if (sent.agreed != null && isDealer(catalog.actor)) throw forbidden('You cannot set discounts.')
  if (before && isAsWritten(catalog, sent, before, agreement)) return keepItem(catalog, sent, before)
  if (catalog.inUse && sent.product_id) return priceProduct(catalog, sent, sent.product_id, before, agreement)
  return priceCustom(catalog, sent, before)
}

function isAsWritten(catalog: Catalog, sent: SentItem, before: Item, agreement: Agreement): boolean {
  if (before.piece_price == null) return false
  if (catalog.inUse)
    return (
      (before.product_id ?? null) === (sent.product_id ?? null) &&
      sameSize(before, sent) &&
      sameCategory(catalog, sent, before) &&
      sameAgreed(catalog, sent, before, agreement)
    )
  return sent.name === before.name && sent.category_id === before.category_id && sent.price === before.piece_price
}

function sameSize(before: Item, sent: SentItem): boolean {
  return sizesOf(before.basis ?? 'each').every((part) => (sent[part] ?? null) === (before[part] ?? null))
}

function sameCategory({ actor }: Catalog, { category_id }: SentItem, before: Item): boolean {
  return isDealer(actor) || category_id == null || category_id === before.category_id
}

/** A form without discounts changes none, and one for the whole order is for what is still sold. */
function sameAgreed(catalog: Catalog, sent: SentItem, before: Item, agreement: Agreement): boolean {
  if (sent.agreed === undefined || (sent.agreed === null && catalog.limit === null)) return true
  const agreed = sent.agreed ?? (findSold(catalog, before) ? agreedFor(agreement, sent) : null)
  return agreed === agreedOn(before)
}

function keepItem(catalog: Catalog, sent: SentItem, before: Item): PricedItem {
  refuseOtherPrice(catalog, sent, [before.price, before.piece_price])
  const problem = sent.quantity > before.quantity ? findMoreProblem(catalog, before) : undefined
  return problem ? { errors: { quantity: problem } } : { item: { ...before, quantity: sent.quantity } }
}

/** More pieces at an agreed discount are for whoever may agree on it. */
function findMoreProblem({ actor, limit }: Catalog, before: Item): Problem | undefined {
  const agreed = agreedOn(before)
  return isDealer(actor) && agreed !== null ? agreedFewer(before) : findLimitProblem(agreed, limit)
}

const agreedFewer = ({ quantity: count }: Item): Problem => ({
  message: 'The discount was agreed for {count} pieces. Ask your manager for more.',
  params: { count },
})

const unagreed: Problem = { message: 'Only products have an agreed discount. Change the price instead.' }

/** A line without a product. While the catalog is in use, a dealer's one has no price until somebody else sets it. */
function priceCustom(catalog: Catalog, sent: SentItem, written: Item | undefined): PricedItem {
  if (sent.agreed != null) return { errors: { agreed: unagreed } }
  const { actor, inUse } = catalog
  const before = inUse && written?.piece_price != null ? undefined : written && plainItem(written)
  const { name = before?.name, category_id = before?.category_id } = sent
  const errors = inUse ? findCustomProblems(catalog, { name, category_id }, before, written) : {}
  if (Object.keys(errors).length > 0) return { errors }
  const waits = inUse && isDealer(actor)
  if (waits) refuseOtherPrice(catalog, sent, [before?.price])
  // The price that a product was sold at holds its discount already.
  const isNet = written?.piece_price != null && sent.price === written.piece_price
  const own = before?.name === name && before?.category_id === category_id ? before?.price : undefined
  const item = {
    ...(written && { id: written.id, ...replacedBy(written) }),
    category_id: category_id ?? null,
    name: name as string,
    quantity: sent.quantity,
    price: (waits ? own : sent.price) ?? null,
    discount: isNet ? 0 : lineDiscount(category_id ?? null, before, catalog.discounts),
    vat: written ? written.vat : catalog.vat,
  }
  const problem = written && findPriceProblem(catalog, item, written)
  return problem ? { errors: { price: problem } } : { item }
}

type Custom = Pick<SentItem, 'name' | 'category_id'>

function findCustomProblems({ custom }: Catalog, { name, category_id }: Custom, before?: Item, written?: Item): Record<string, Problem> {
  const isGone = written?.piece_price != null && written.product_id === null
  if (isGone && (!name || name === written.name)) return { product_id: gone }
  if (!before && !custom) return { product_id: { message: 'Choose a product.' } }
  if (!name) return { product_id: { message: 'Choose a product or enter a name.' } }
  const lacksCategory = category_id == null && !(before && before.category_id === null)
  return lacksCategory ? { category_id: { message: 'Choose a category.' } } : {}
}

type Replaced = Pick<Item, 'replaced_price' | 'replaced_discount'>

/** What a line that loses its product, or has lost it before, keeps of it. */
function replacedBy({ price, discount, piece_price, basis, width = null, height = null, ...written }: Item): Replaced {
  if (piece_price == null || price === null || !basis)
    return { replaced_price: written.replaced_price, replaced_discount: written.replaced_discount }
  return { replaced_price: grossPiece({ price, discount }, basis, { width, height }, piece_price), replaced_discount: discount }
}

/** Without its product a line is no cheaper than that would be with the highest discount that somebody may give, or had. */
function findPriceProblem({ actor, limit }: Catalog, item: Item, written: Item): Problem | undefined {
  const { replaced_price: gross, replaced_discount } = item
  if (gross == null || isDealer(actor) || limit === 100) return undefined
  if (item.price === null && written.price === null) return undefined
  const least = leastPrice(gross, Math.max(limit ?? 0, replaced_discount ?? 0))
  const before = written.price === null ? least : lineCost({ ...written, quantity: 1 })
  if (lineCost({ ...item, quantity: 1 }) >= Math.min(least, before)) return undefined
  const message = 'You may give up to {limit}%: this line replaces a product, and a piece may cost {least} or more.'
  return { message, params: { limit: limit ?? 0, least: { kopecks: Math.min(least, before) } } }
}
