import { eq, sql } from 'drizzle-orm'
import { inOtherLayout } from '../../core/other-layout.ts'
import { companies, orderItems, orders, users } from '../../database/index.ts'
import type { SearchSource } from '../../records/list/search-source.ts'

/** What an order is called before its number, as both layouts of the keyboard write it. */
const called = ['order', 'заказ'].flatMap((word) => [word, inOtherLayout(word)]).join('|')

const numbered = new RegExp(`^(?:(?:${called})\\s*)?[#№]?\\s*(\\d{1,15})(?:\\s+(.+))?$`, 'i')

/** The number that a query begins with, as in "488", "№ 488" and "order 488", and what is said after it. */
export function numberIn(query: string): { number?: string; wanted?: string } {
  const [, number, wanted] = numbered.exec(query.trim()) ?? []
  return { number, wanted }
}

export const orderSearch: Pick<SearchSource, 'texts' | 'labels' | 'exact' | 'telling' | 'recent'> = {
  recent: ['waiting=1', ''],
  telling: 2,
  labels: {
    id: 'Number',
    company: 'Company',
    receiver: 'Customer',
    phone: 'Phone',
    address: 'Address',
    sn: 'Serial number',
    dealer: 'Dealer',
    products: 'Products',
  },
  texts: (ids) => sql`select ${orders.id}, concat('#', ${orders.id}, ' (' || ${orders.specification_number} || ')'), ${companies.org},
      ${orders.receiver}, ${orders.phone}, ${orders.address}, ${orders.sn}, concat_ws(' ', ${users.lastname}, ${users.name}),
      (select group_concat(${orderItems.name}, ', ') from ${orderItems} where ${orderItems.order_id} = ${orders.id})
    from ${orders} left join ${companies} on ${companies.id} = ${orders.owner_company_id} left join ${users} on ${users.id} = ${orders.dealer_id}
    where ${orders.id} in ${ids}`,
  exact: (query) => {
    const { number, wanted } = numberIn(query)
    if (!number || /^\d/.test(wanted ?? '')) return undefined
    // Whoever says what to do with an order means its number.
    return wanted
      ? eq(orders.id, Number(number))
      : sql`(${orders.id} = ${Number(number)} or ${orders.specification_number} = ${Number(number)})`
  },
}
