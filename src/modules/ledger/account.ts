import { and, eq, lt, sql } from 'drizzle-orm'
import { type Credit, creditOf } from '../../core/credit.ts'
import { seesPrices } from '../../core/prices.ts'
import { type companies, type Database, orderBalances, orders, prepareOnce } from '../../database/index.ts'
import type { Acting } from '../../web/acting.ts'
import { today } from '../../web/view/format.ts'
import { companyBalance } from './book.ts'

type Terms = Pick<typeof companies.$inferSelect, 'id' | 'credit_limit' | 'payment_days'>

export interface Account extends Credit {
  balance: number
}

/** What a company owes, how much of it is overdue and what is left of its limit, in kopecks, for those who see prices. */
export function presentAccount({ server: { db }, actor }: Pick<Acting, 'server' | 'actor'>, company: Terms): Account | undefined {
  return seesPrices(actor) ? accountOf(db, company) : undefined
}

function accountOf(db: Database, { id, credit_limit, payment_days }: Terms): Account {
  const balance = companyBalance(db, id)
  const lacking = payment_days === null ? 0 : (lackingSince(db).get({ company: id, day: daysAgo(payment_days) })?.lacking ?? 0)
  return { balance, ...creditOf({ balance, lacking, limit: credit_limit }) }
}

/** What became due before this day (YYYY-MM-DD) is past its days. */
function daysAgo(days: number): string {
  const day = new Date(`${today()}T00:00:00Z`)
  day.setUTCDate(day.getUTCDate() - days)
  return day.toISOString().slice(0, 10)
}

const lackingSince = prepareOnce((db, given) => {
  const { order_id, company_id, charged, paid } = orderBalances
  const rows = db.select({ lacking: sql<number>`ifnull(sum(${charged} - ${paid}), 0)` }).from(orderBalances)
  return rows
    .innerJoin(orders, eq(orders.id, order_id))
    .where(and(eq(company_id, given.company), sql`${charged} > ${paid}`, lt(orders.due_since, given.day)))
    .prepare()
})
