import { desc, eq, sql } from 'drizzle-orm'
import { group } from '../../core/access.ts'
import { seesPrices } from '../../core/prices.ts'
import { orders, prepareOnce } from '../../database/index.ts'
import { authorize } from '../../web/access/policy-hook.ts'
import type { Acting } from '../../web/acting.ts'
import { notFound, parseId } from '../../web/http.ts'
import { may } from './access.ts'
import { type Discounts, itemsOf, lineDiscount } from './items.ts'
import { findOrder, type Order } from './order.ts'

const repeatedFields = ['receiver', 'phone', 'email', 'address', 'delivery', 'payment'] as const

/** The order that a new one repeats (`from`), or whose receiver it takes (`receiver`). */
export function findRepeated({ server, actor }: Acting, query: URLSearchParams): { order: Order; lines: boolean } | undefined {
  const name = query.has('from') ? 'from' : 'receiver'
  if (!query.has(name)) return undefined
  const order = findOrder(server.db, parseId(query.get(name)) ?? -1)
  if (!order) throw notFound()
  authorize(may.view, actor, order)
  return { order, lines: name === 'from' }
}

export function repeatedValues(acting: Acting, query: URLSearchParams): Record<string, unknown> {
  const repeated = findRepeated(acting, query)
  if (!repeated) return {}
  const { order, lines } = repeated
  const values = Object.fromEntries(repeatedFields.map((name) => [name, order[name]]))
  return lines ? { ...values, items: itemsOf(acting.server.db, order.id).map(({ id, discount, ...item }) => item) } : values
}

export function presentRepeated(acting: Acting, query: URLSearchParams, discounts: Discounts) {
  const { server, actor, t } = acting
  const repeated = findRepeated(acting, query)
  if (!repeated) return actor.group_id === group.dealer ? { lastReceiver: lastReceiver(server.db).get({ dealer: actor.id }) } : {}
  const items = repeated.lines ? itemsOf(server.db, repeated.order.id) : []
  const differences = items.flatMap((item) => {
    if (item.category_id === null) return [t('{product}: its category was deleted. Choose another.', { product: item.name })]
    if (!seesPrices(actor)) return []
    const today = lineDiscount(item.category_id, undefined, discounts)
    return today === item.discount
      ? []
      : [t('{product}: the discount is now {now}%; it was {before}%.', { product: item.name, now: today, before: item.discount })]
  })
  return { repeated: { id: repeated.order.id, lines: repeated.lines, differences } }
}

const lastReceiver = prepareOnce((db, given) => {
  const { id, receiver, phone, address, dealer_id } = orders
  const own = db.select({ id, receiver, phone, address }).from(orders)
  return own
    .where(sql`${eq(dealer_id, given.dealer)} and ${receiver} <> ''`)
    .orderBy(desc(id))
    .limit(1)
    .prepare()
})
