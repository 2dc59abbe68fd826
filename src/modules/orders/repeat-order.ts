import { and, desc, eq, sql } from 'drizzle-orm'
import { isDealer } from '../../core/access.ts'
import { contactFields } from '../../core/order-editable-fields.ts'
import { seesPrices } from '../../core/prices.ts'
import { grossPiece } from '../../core/pricing.ts'
import { orders, prepareOnce } from '../../database/index.ts'
import { authorize } from '../../http/access/authorize.ts'
import type { Context } from '../../http/request/context.ts'
import { notFound } from '../../http/request/errors.ts'
import { type FormInput, parseId } from '../../http/request/input.ts'
import type { FormState } from '../../records/form/form.ts'
import { orderAccess } from './access.ts'
import { findOrder, type Order } from './order.ts'
import { type Discounts, discountsInForce, lineDiscount, mayAddCustom, readCatalog, usesCatalog } from './pricing/catalog.ts'
import { type Item, itemsOf } from './pricing/lines.ts'
import { priceLines } from './pricing/price-lines.ts'
import type { PricedItem } from './pricing/product-line.ts'

/** What is said of one order alone does not hold for another. */
const repeatedFields = contactFields.filter((name) => name !== 'comment')

/** The order that a new one repeats (`from`), or whose receiver it takes (`receiver`). */
export function findRepeated({ server, actor }: Context, query: URLSearchParams): { order: Order; lines: boolean } | undefined {
  const name = query.has('from') ? 'from' : 'receiver'
  if (!query.has(name)) return undefined
  const order = findOrder(server.db, parseId(query.get(name)) ?? -1)
  if (!order) throw notFound()
  authorize(orderAccess.view, actor, order)
  return { order, lines: name === 'from' }
}

export function repeatedValues(context: Context, query: URLSearchParams): Record<string, unknown> {
  const repeated = findRepeated(context, query)
  if (!repeated) return {}
  const { order, lines } = repeated
  const values = Object.fromEntries(repeatedFields.map((name) => [name, order[name]]))
  const { db } = context.server
  return lines ? { ...values, items: itemsOf(db, order.id).map(usesCatalog(db) ? withoutDiscount : repeatPlain) } : values
}

const withoutDiscount = ({ id, discount, ...item }: Item) => item

/** Without the catalog a product is a name with the price of one piece, of which the company gets its discount. */
function repeatPlain(item: Item) {
  const { name, category_id, quantity, price, discount, piece_price, basis, width = null, height = null, remark } = item
  if (piece_price == null || price === null || !basis) return withoutDiscount(item)
  return { name, category_id, quantity, price: grossPiece({ price, discount }, basis, { width, height }, piece_price), remark }
}

/** Below the customer that nobody has filled in yet: the one of the dealer's last order. */
export function offerCustomer({ server, actor }: Context, { query, texts }: FormInput): FormState['hints'] {
  if (!isDealer(actor) || query.has('from') || query.has('receiver') || texts.get('receiver')) return {}
  const last = lastReceiver(server.db).get({ dealer: actor.id, company: actor.company_id })
  if (!last) return {}
  const params = { number: last.id, name: last.receiver }
  return { receiver: { text: 'Same as in order #{number}: {name}', params, path: `/orders/add?receiver=${last.id}` } }
}

export function viewOfRepeated(context: Context, query: URLSearchParams, companyId: number | null) {
  const { server } = context
  const repeated = findRepeated(context, query)
  if (!repeated) return {}
  const items = repeated.lines ? itemsOf(server.db, repeated.order.id) : []
  return { repeated: { id: repeated.order.id, lines: repeated.lines, differences: describeDifferences(context, items, companyId) } }
}

/** What is no longer as it was in the order that is repeated. */
function describeDifferences(context: Context, items: readonly Item[], companyId: number | null): string[] {
  const { db } = context.server
  const discounts = discountsInForce(db, companyId)
  if (!usesCatalog(db)) return items.flatMap((item) => describePlain(context, item, discounts) ?? [])
  const sent = items.map(({ id, price, ...item }) => item)
  const priced = priceLines(readCatalog(context, companyId, sent), sent, [])
  return items.flatMap((item, at) => {
    const now = priced[at] as PricedItem
    return (item.piece_price == null ? describeCustom(context, item, now, discounts) : describeProduct(context, item, now)) ?? []
  })
}

function describePlain({ actor, t }: Context, item: Item, discounts: Discounts): string | undefined {
  if (item.category_id === null) return t('{product}: its category was deleted. Choose another.', { product: item.name })
  const now = lineDiscount(item.category_id, undefined, discounts)
  if (!seesPrices(actor) || now === item.discount) return undefined
  return t('{product}: the discount is now {now}%; it was {before}%.', { product: item.name, now, before: item.discount })
}

function describeCustom(context: Context, item: Item, now: PricedItem, discounts: Discounts): string | undefined {
  const { server, actor, t } = context
  if (!mayAddCustom(server.db, actor)) return t('{product}: not in the catalog. Choose a product.', { product: item.name })
  if ('item' in now && isDealer(actor)) return t('{product}: a manager sets the price.', { product: item.name })
  return describePlain(context, item, discounts)
}

function describeProduct({ actor, t }: Context, item: Item, now: PricedItem): string | undefined {
  const product = `${item.article} ${item.name}`
  const size = 'errors' in now ? (now.errors.width ?? now.errors.height) : undefined
  if (size) return t('{product}: its size is no longer made. {range}', { product, range: t(size) })
  if ('errors' in now || item.product_id == null) return t('{product}: no longer sold. Choose another product.', { product })
  const [before, after] = [item.piece_price ?? 0, now.item.piece_price ?? 0]
  if (!seesPrices(actor) || before === after) return undefined
  return t('{product}: the price is now {now}; it was {before}.', { product, now: t.money(after), before: t.money(before) })
}

const lastReceiver = prepareOnce((db, params) => {
  const { id, receiver, phone, address, dealer_id, owner_company_id } = orders
  const own = db.select({ id, receiver, phone, address }).from(orders)
  return own
    .where(and(eq(dealer_id, params.dealer), eq(owner_company_id, params.company), sql`${receiver} <> ''`))
    .orderBy(desc(id))
    .limit(1)
    .prepare()
})
