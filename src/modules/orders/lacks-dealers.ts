import { and, eq, isNotNull } from 'drizzle-orm'
import { group } from '../../core/access.ts'
import { type Database, users } from '../../database/index.ts'

/** Orders are placed for dealers of companies. */
export function lacksDealers(db: Database): boolean {
  const { id, group_id, company_id } = users
  const dealer = db
    .select({ id })
    .from(users)
    .where(and(eq(group_id, group.dealer), isNotNull(company_id)))
    .limit(1)
  return dealer.get() === undefined
}
