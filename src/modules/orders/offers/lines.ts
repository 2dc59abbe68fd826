import { authorizer } from '../../../core/access.ts'
import { lineAmount, lineCost, retailPrice } from '../../../core/pricing.ts'
import type { Context } from '../../../http/request/context.ts'
import { markupsOf, type OfferTerms } from '../../offers/terms.ts'
import { productAccess } from '../../products/access.ts'
import { findProducts } from '../../products/product.ts'
import { describeSize } from '../page/lines.ts'
import type { Item } from '../pricing/lines.ts'

/** A line as a customer sees it: what it costs the company is nowhere in it. */
export interface OfferLine {
  name: string
  size: string
  remark: string | null
  quantity: number
  price: number
  amount: number
  /** The key of a picture of the product, if this person may see that. */
  picture: string | null
}

/**
 * Lines that have their price, at that of the company with its markup.
 * @throws AmountTooLarge when a number does not hold one exactly
 */
export function linesOf({ server: { db }, actor, t }: Context, items: readonly Item[], terms: OfferTerms): OfferLine[] {
  const markups = new Map(markupsOf(db, terms.company_id).map(({ category_id, markup }) => [category_id, markup]))
  const products = findProducts(
    db,
    items.flatMap(({ product_id }) => product_id ?? []),
  )
  const sees = authorizer(productAccess.view, actor)
  return items.map((item) => {
    const { name, quantity, remark = null, category_id, product_id } = item
    const markup = markups.get(category_id ?? 0) ?? terms.markup
    const product = products.get(product_id ?? 0)
    const picture = product && sees(product) ? product.image : null
    return { name, size: describeSize(t, item), remark, quantity, ...priceOf(item, markup, terms), picture }
  })
}

function priceOf(item: Item, markup: number, { round_to }: OfferTerms): Pick<OfferLine, 'price' | 'amount'> {
  const price = retailPrice(lineCost({ ...item, quantity: 1 }), markup, round_to)
  return { price, amount: lineAmount(price, item.quantity) }
}
