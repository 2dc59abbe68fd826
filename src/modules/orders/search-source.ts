import { sql } from 'drizzle-orm'
import { companies, orderItems, orders, users } from '../../database/schema/index.ts'
import type { SearchSource } from '../../web/list/search-source.ts'
import type { List } from '../../web/list/state.ts'
import type { OrderRow } from './list.ts'

export function orderSearchSource(list: List<OrderRow>): SearchSource {
  return {
    list,
    icon: 'shopping-cart',
    page: '/orders/',
    texts: (ids) => sql`select ${orders.id}, concat('#', ${orders.id}, ' (' || ${orders.specification_number} || ')'), ${companies.org},
        ${orders.receiver}, ${orders.phone}, ${orders.address}, ${orders.sn}, concat_ws(' ', ${users.lastname}, ${users.name}),
        (select group_concat(${orderItems.name}, ', ') from ${orderItems} where ${orderItems.order_id} = ${orders.id})
      from ${orders} left join ${companies} on ${companies.id} = ${orders.owner_company_id} left join ${users} on ${users.id} = ${orders.dealer_id}
      where ${orders.id} in ${ids}`,
    exact: (query) => {
      const number = /^[#№]?\s*(\d{1,15})$/.exec(query)?.[1]
      return number ? sql`(${orders.id} = ${Number(number)} or ${orders.specification_number} = ${Number(number)})` : undefined
    },
  }
}
