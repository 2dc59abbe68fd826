import { lineCost, orderCost } from '../../core/order-cost.ts'
import { AmountTooLarge } from '../../core/pricing.ts'
import { ValidationFailed } from '../../web/form/submit.ts'
import type { Item } from './items.ts'
import type { PricedItem } from './pricing.ts'

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
  const params = { seen: { kopecks: seen }, now: { kopecks: cost } }
  const message = 'The total was {seen} and is now {now}. Check it and send the order again.'
  throw new ValidationFailed({ items: { message, params, status: 409 } })
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
