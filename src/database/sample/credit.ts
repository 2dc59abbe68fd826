import { asc, eq, min, sql } from 'drizzle-orm'
import type { Database } from '../open.ts'
import { companies, companyBalances } from '../schema/index.ts'

const step = 100_000_00

/** Credit terms of the first company and of those that owe most, of which one has exceeded its limit. */
export function addCreditTerms(db: Database): void {
  const indebted = db.select().from(companyBalances).where(sql`balance < 0`).orderBy(asc(companyBalances.balance)).limit(5).all()
  for (const [at, { company_id, balance }] of indebted.entries()) giveTerms(db, company_id, -balance * (at === 0 ? 0.5 : 1.5))
  const first = db
    .select({ id: min(companies.id) })
    .from(companies)
    .get()?.id
  if (first) giveTerms(db, first, 5 * step)
}

function giveTerms(db: Database, id: number, limit: number): void {
  const credit_limit = Math.max(1, Math.round(limit / step)) * step
  db.update(companies).set({ credit_limit, payment_days: 14 }).where(eq(companies.id, id)).run()
}
