import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { orderBalances } from './schema/index.ts'

/** What was paid for orders of a company before they were charged, in kopecks: it is in the balance, but no limit grows by it. */
export function prepaidBy(company: SQLWrapper): SQL<number> {
  const { company_id, charged, paid } = orderBalances
  return sql<number>`ifnull((select sum(${paid} - ${charged}) from ${orderBalances}
    where ${company_id} = ${company} and ${paid} > ${charged}), 0)`
}
