import { and, eq, sql } from 'drizzle-orm'
import { type Credit, creditOf } from '../../core/credit.ts'
import { seesPrices } from '../../core/prices.ts'
import { cachedUntilWrite, companies, type Database, dueDay, isLacking, orderBalances, orders, prepareOnce } from '../../database/index.ts'
import type { Context } from '../../http/request/context.ts'
import { today } from '../../i18n/format.ts'
import { companyBalance } from './balance.ts'

type Terms = Pick<typeof companies.$inferSelect, 'id' | 'credit_limit'>

export interface Account extends Credit {
  balance: number
  /** What of its payments pays nothing. */
  credit: number
  /** What is paid of orders before they are charged. */
  prepaid: number
}

/** What a company owes, how much of it is overdue and what is left of its limit, in kopecks, for those who see prices. */
export function viewOfAccount({ server: { db }, actor }: Pick<Context, 'server' | 'actor'>, company: Terms): Account | undefined {
  return seesPrices(actor) ? accountOf(db, company) : undefined
}

function accountOf(db: Database, { id, credit_limit }: Terms): Account {
  const { balance, credit, prepaid } = companyBalance(db, id)
  const day = today()
  const lacking = cachedUntilWrite(
    db,
    `what company ${id} lacks before ${day}`,
    () => lackingBefore(db).get({ company: id, day })?.lacking ?? 0,
  )
  return { balance, credit, prepaid, ...creditOf({ balance: balance - credit - prepaid, lacking, limit: credit_limit }) }
}

/** Of the orders whose due day is before a day (YYYY-MM-DD). */
const lackingBefore = prepareOnce((db, params) => {
  const { order_id, company_id, charged, paid } = orderBalances
  const rows = db.select({ lacking: sql<number>`ifnull(sum(${charged} - ${paid}), 0)` }).from(orderBalances)
  return rows
    .innerJoin(orders, eq(orders.id, order_id))
    .innerJoin(companies, eq(companies.id, company_id))
    .where(and(eq(company_id, params.company), isLacking, sql`${dueDay} < ${params.day}`))
    .prepare()
})
