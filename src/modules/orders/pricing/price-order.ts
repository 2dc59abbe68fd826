import { AmountTooLarge, orderCost } from '../../../core/pricing.ts'
import type { Database } from '../../../database/index.ts'
import type { Context } from '../../../http/request/context.ts'
import { type Problem, ValidationFailed } from '../../../http/request/errors.ts'
import type { EditValues, Entry, FormState } from '../../../records/form/form.ts'
import type { orderForm } from '../form.ts'
import type { Order } from '../order.ts'
import { readCatalog, usesCatalog } from './catalog.ts'
import { type Item, itemsOf, type SentItem } from './lines.ts'
import { priceLines } from './price-lines.ts'
import { type Agreement, findLimitProblem, type PricedItem, type PricedLine } from './product-line.ts'
import { companyOfForm } from './typed-lines.ts'

/** The lines of an order as they are saved, what they cost together, and the total that the page has shown for them. */
interface OrderPrices extends Agreement {
  seen_total?: number | null
}

/**
 * The lines of an order as they are saved, and what they cost together.
 * @throws ValidationFailed with what is wrong with them, by their fields; HttpError (403) as `priceLines`
 */
export function priceOrder(
  context: Pick<Context, 'server' | 'actor'>,
  companyId: number | null,
  sent: readonly SentItem[],
  written: readonly Item[],
  { seen_total, ...agreement }: OrderPrices,
): { items: Item[]; cost: number } {
  const catalog = readCatalog(context, companyId, sent)
  requireWithinLimit(agreement, catalog.limit)
  const priced = priceLines(catalog, sent, written, agreement)
  const items = requirePriced(priced)
  refuseUnmeantRaises(sent, priced, agreement)
  requireReason(items)
  const cost = costOf(items)
  refuseUnseenTotal(cost, seen_total)
  return { items, cost }
}

/** What is wrong with the lines of a form in which something else is wrong as well. */
export function findLineProblems(
  context: Context,
  order: Order | undefined,
  state: FormState,
  entry: Entry<EditValues<typeof orderForm>>,
): Record<string, Problem> {
  const { db } = context.server
  const { items, without_lines } = entry.values as { items?: SentItem[]; without_lines?: boolean }
  if (!order && !items?.length && !without_lines) return lackOfLines(db)
  if (!items) return {}
  const catalog = readCatalog(context, companyOfForm(context, order, state, entry), items)
  const lines = items.map((line) => ({ ...line, quantity: line.quantity ?? 1 }))
  return problemsOf(priceLines(catalog, lines, order ? itemsOf(db, order.id) : []))
}

/** What a new order is told that has no lines: its first one is to be filled in. */
export function lackOfLines(db: Database): Record<string, Problem> {
  return usesCatalog(db) ? { 'items.0.product_id': { message: 'Choose a product.' } } : { 'items.0.name': { message: 'Enter a name.' } }
}

/** The discount for the whole order is no more than this person may give. */
function requireWithinLimit({ agreed }: Agreement, limit: number | null): void {
  const problem = findLimitProblem(agreed, limit)
  if (problem) throw new ValidationFailed({ agreed: problem })
}

function requirePriced(priced: readonly PricedItem[]): Item[] {
  const problems = problemsOf(priced)
  if (Object.keys(problems).length > 0) throw new ValidationFailed(problems)
  return priced.flatMap((one) => ('item' in one ? one.item : []))
}

function problemsOf(priced: readonly PricedItem[]): Record<string, Problem> {
  const problems = priced.flatMap((one, at) =>
    'errors' in one ? Object.entries(one.errors).map(([part, problem]) => [`items.${at}.${part}`, problem] as const) : [],
  )
  return Object.fromEntries(problems)
}

/** A discount makes something dearer than the terms of the company do only where somebody says that this is meant. */
function refuseUnmeantRaises(sent: readonly SentItem[], priced: readonly PricedItem[], { agreed_raises }: Agreement): void {
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

function requireReason(items: readonly Item[]): void {
  if (items.some(({ price_origin, agreed_reason }) => price_origin === 'agreed' && !agreed_reason))
    throw new ValidationFailed({ agreed_reason: 'Give a reason.' })
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

/** Where the page has shown another total, it is looked at once more (409). */
function refuseUnseenTotal(cost: number, seen: number | null | undefined): void {
  if (seen == null || seen === cost) return
  const params = { seen: { kopecks: seen }, now: { kopecks: cost } }
  const message = 'The total was {seen} and is now {now}. Check it and send the order again.'
  throw new ValidationFailed({ items: { message, params, status: 409 } })
}
