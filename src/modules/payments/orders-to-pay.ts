import { eq, sql } from 'drizzle-orm'
import { distribute } from '../../core/payments.ts'
import { companies, type Database, dueDay, orderBalances, orders, prepareOnce, statuses } from '../../database/index.ts'
import type { Allocation } from '../ledger/allocations.ts'

export interface OrderToPay {
  id: number
  /** Kopecks. */
  lacks: number
  due_day: string | null
}

/** So many orders a form lists; others are named by their numbers. */
const most = 50

/** The orders of a company that lack money, those that have been due the longest first. */
export function ordersToPay(db: Database, company_id: number): OrderToPay[] {
  return lackingOrders(db).all({ company: company_id }) as OrderToPay[]
}

/** How an amount is split: over the orders in this order, as far as each lacks money. */
export function proposeSplit(amount: number, lacking: readonly Pick<OrderToPay, 'id' | 'lacks'>[]): Allocation[] {
  return distribute(
    amount,
    lacking.map(({ id, lacks }) => ({ order_id: id, amount: lacks })),
  )
}

const lackingOrders = prepareOnce((db, params) => {
  const lacks = sql<number>`${orders.cost} - ifnull(${orderBalances.paid}, 0)`
  const ofCompany = sql`${orders.owner_company_id} = ${params.company} and ifnull(${orderBalances.company_id}, ${params.company}) = ${params.company}`
  return db
    .select({ id: orders.id, lacks, due_day: dueDay })
    .from(orders)
    .leftJoin(orderBalances, eq(orderBalances.order_id, orders.id))
    .leftJoin(statuses, eq(statuses.id, orders.status_id))
    .leftJoin(companies, eq(companies.id, orders.owner_company_id))
    .where(sql`${ofCompany} and ${lacks} > 0 and ${statuses.due} is not 'ends'`)
    .orderBy(sql`${orders.due_since} is null`, orders.due_since, orders.id)
    .limit(most)
    .prepare()
})
