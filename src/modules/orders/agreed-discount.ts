import { ValidationFailed } from '../../web/form/submit.ts'
import type { Problem } from '../../web/http.ts'
import type { Item } from './items.ts'
import type { Agreement, PricedItem, PricedLine, SentItem } from './pricing.ts'

/** @param limit the highest discount in percent that somebody may agree on; null for none */
export function findLimitProblem(agreed: number | null | undefined, limit: number | null): Problem | undefined {
  if (agreed == null) return undefined
  if (limit === null) return { message: 'You may not give agreed discounts. A superadministrator sets how much you may give.' }
  return agreed > limit ? { message: 'You may give up to {limit}%.', params: { limit } } : undefined
}

/** @throws ValidationFailed when the discount for the whole order is more than this person may give */
export function requireWithinLimit({ agreed }: Agreement, limit: number | null): void {
  const problem = findLimitProblem(agreed, limit)
  if (problem) throw new ValidationFailed({ agreed: problem })
}

/** @throws ValidationFailed when a discount makes something dearer than the terms of the company do, and nobody says that this is meant */
export function refuseUnmeantRaises(sent: readonly SentItem[], priced: readonly PricedItem[], { agreed_raises }: Agreement): void {
  if (agreed_raises) return
  const raised = priced.flatMap((line, at) => {
    const problem = 'item' in line ? findRaise(line) : undefined
    return problem ? [[sent[at]?.agreed == null ? 'agreed' : `items.${at}.agreed`, problem] as const] : []
  })
  if (raised.length > 0) throw new ValidationFailed(Object.fromEntries(raised))
}

function findRaise({ item: { piece_price }, without }: PricedLine): Problem | undefined {
  if (piece_price == null || without === undefined || piece_price <= without) return undefined
  const message = 'A piece costs {before} now, and {after} with this discount. If that is meant, tick “Higher than before”.'
  return { message, params: { before: { kopecks: without }, after: { kopecks: piece_price } } }
}

/** @throws ValidationFailed when a discount is given without a reason */
export function requireReason(items: readonly Item[]): void {
  if (items.some(({ price_origin, agreed_reason }) => price_origin === 'agreed' && !agreed_reason))
    throw new ValidationFailed({ agreed_reason: 'Required' })
}
