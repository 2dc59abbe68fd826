import { and, asc, eq, max, min, sql } from 'drizzle-orm'
import { isLacking } from '../due-day.ts'
import type { Database } from '../open.ts'
import { companies, companyBalances, orderBalances, orders } from '../schema/index.ts'
import { day } from './content.ts'

const step = 100_000_00

/** Credit terms of the first company and of those that owe most, of which one has exceeded its limit. */
export function addCreditTerms(db: Database): void {
  const indebted = db.select().from(companyBalances).where(sql`balance < 0`).orderBy(asc(companyBalances.balance)).limit(5).all()
  for (const [at, { company_id, balance }] of indebted.entries()) giveTerms(db, company_id, -balance * (at === 0 ? 0.5 : 1.5))
  const first = db
    .select({ id: min(companies.id) })
    .from(companies)
    .get()?.id
  if (first) giveTerms(db, first, 5 * step, daysUntilTomorrow(db, first))
}

const usualDays = 14

/** With these days to pay, the newest order that lacks money is due tomorrow. */
function daysUntilTomorrow(db: Database, company: number): number {
  const lacking = db.select({ since: max(orders.due_since) }).from(orderBalances)
  const ofOrder = lacking.innerJoin(orders, eq(orders.id, orderBalances.order_id))
  const { since } = ofOrder.where(and(eq(orderBalances.company_id, company), isLacking)).get() ?? {}
  return since ? (dateOfToday() - Date.parse(since)) / day + 1 : usualDays
}

/** Today in the time zone of the installation, as dates without a time are read. */
function dateOfToday(): number {
  const now = new Date()
  return Date.UTC(now.getFullYear(), now.getMonth(), now.getDate())
}

function giveTerms(db: Database, id: number, limit: number, payment_days = usualDays): void {
  const credit_limit = Math.max(1, Math.round(limit / step)) * step
  db.update(companies).set({ credit_limit, payment_days }).where(eq(companies.id, id)).run()
}
