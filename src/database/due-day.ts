import { sql } from 'drizzle-orm'
import { companies, orderBalances, orders } from './schema/index.ts'

/** The last day (YYYY-MM-DD) on which the company of an order pays in time; null while nothing is due, or where it has no days to pay. */
export const dueDay = sql<string | null>`date(${orders.due_since}, '+' || ${companies.payment_days} || ' days')`

export const isLacking = sql`${orderBalances.charged} > ${orderBalances.paid}`
