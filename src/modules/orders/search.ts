import { eq, sql } from 'drizzle-orm'
import { companies, orderItems, orders, users } from '../../database/index.ts'
import type { SearchSource } from '../../records/list/search-source.ts'

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
    const [, number, wanted] = /^[#№]?\s*(\d{1,15})(\s+\D.*)?$/.exec(query) ?? []
    if (!number) return undefined
    // Whoever says what to do with an order means its number.
    return wanted
      ? eq(orders.id, Number(number))
      : sql`(${orders.id} = ${Number(number)} or ${orders.specification_number} = ${Number(number)})`
  },
}
