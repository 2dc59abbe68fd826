import { and, count, eq, gt, lt, min, type SQL } from 'drizzle-orm'
import type { Database } from '../../database/open.ts'
import { write } from '../../database/open.ts'
import { signInFailures as failures } from '../../database/schema/index.ts'

const windowLength = 15 * 60_000

/** Counts a sign-in attempt before its password is checked, so that parallel attempts count too. */
export function countAttempt(db: Database, email: string, address: string, browser?: string): number | undefined {
  const now = Date.now()
  return write(db, () => {
    db.delete(failures)
      .where(lt(failures.at, now - windowLength))
      .run()
    const account = eq(failures.email, email)
    const source = eq(failures.address, browser ?? address)
    const waits = [
      oldestWhenLimited(db, 10, and(account, source)),
      browser ? undefined : oldestWhenLimited(db, 100, account),
      browser ? undefined : oldestWhenLimited(db, 50, source),
    ].filter((since) => since !== undefined)
    if (waits.length > 0) return Math.ceil((Math.max(...waits) + windowLength - now) / 1000)
    db.insert(failures)
      .values({ email, address: browser ?? address, at: now })
      .run()
  })
}

export function clearAttempts(db: Database, email: string, address: string): void {
  db.delete(failures)
    .where(and(eq(failures.email, email), eq(failures.address, address)))
    .run()
}

function oldestWhenLimited(db: Database, limit: number, where: SQL | undefined): number | undefined {
  const recent = and(where, gt(failures.at, Date.now() - windowLength))
  const row = db
    .select({ count: count(), oldest: min(failures.at) })
    .from(failures)
    .where(recent)
    .get()
  return row && row.count >= limit ? (row.oldest ?? undefined) : undefined
}
