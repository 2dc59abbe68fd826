import { type SQL, sql } from 'drizzle-orm'
import { ofPrices } from '../../core/prices.ts'
import { companies, companyBalances, dueDay, isLacking, orderBalances, orders } from '../../database/index.ts'
import { today } from '../../i18n/format.ts'
import type { Column, Filter } from '../../records/list/list.ts'

/** Money that pays no order leaves the limit as it is. */
const credit = sql<number>`ifnull((select ${companyBalances.credit} from ${companyBalances} where ${companyBalances.company_id} = ${companies.id}), 0)`

/** The orders of a company that lack money after their last day to pay in time, before a day. */
const overdueOrders = (day: SQL) => sql`${orderBalances} join ${orders} on ${orders.id} = ${orderBalances.order_id}
  where ${orderBalances.company_id} = ${companies.id} and ${isLacking}
  and ${dueDay} < ${day}`

const overdue = sql<number>`(select ifnull(sum(${orderBalances.charged} - ${orderBalances.paid}), 0) from ${overdueOrders(sql`date('now', 'localtime')`)})`

const lastOrder = sql<number | null>`(select max(${orders.created_at}) from ${orders} where ${orders.owner_company_id} = ${companies.id})`

/** How companies stand, for those who see prices. */
export const accountColumns = [
  {
    key: 'balance',
    label: 'Balance',
    kind: 'money',
    told: true,
    value: companies.balance,
    sort: companies.balance,
    newestFirst: true,
    ...ofPrices,
  },
  { key: 'overdue', label: 'Overdue debt', kind: 'money', told: true, cell: 'debt', value: overdue, ...ofPrices },
  {
    key: 'limit_left',
    label: 'Left of the credit limit',
    kind: 'money',
    told: true,
    value: sql<number | null>`${companies.credit_limit} + ${companies.balance} - ${credit}`,
    hidden: true,
    ...ofPrices,
  },
  { key: 'last_order', label: 'Last order', kind: 'moment', value: lastOrder, ...ofPrices },
] as const satisfies readonly Column[]

const flag = (name: string, label: string, condition: () => SQL, otherLabel?: string): Filter => ({
  ...{ name, label, otherLabel, input: 'flag', ...ofPrices },
  where: (value) => (value === '1' ? condition() : undefined),
})

const day = 24 * 3600_000

export const accountFilters: Filter[] = [
  flag('overdue', 'Overdue debt', () => sql`exists (select 1 from ${overdueOrders(sql`${today()}`)})`, 'debtors, in debt'),
  { ...flag('credit', 'In credit', () => sql`${companies.balance} > 0`), further: true },
  {
    name: 'idle',
    label: 'No order for, days',
    input: 'number',
    ...{ further: true, ...ofPrices },
    // Those that have never ordered anything are idle since they were added.
    where: (days) =>
      /^\d{1,4}$/.test(days) ? sql`coalesce(${lastOrder}, ${companies.created_at}) <= ${Date.now() - Number(days) * day}` : undefined,
  },
]
