import { and, count, eq, lte, min, type SQL } from 'drizzle-orm'
import { type Database, signInFailures as failures, write } from '../../database/index.ts'

const windowLength = 15 * 60_000

/** Counts a sign-in attempt before its password is checked, so that parallel attempts count too. */
export function countAttempt(db: Database, email: string, address: string, browser?: string): number | undefined {
  const now = Date.now()
  return write(db, () => {
    const outdated = lte(failures.at, now - windowLength)
    db.delete(failures).where(outdated).run()
    const account = eq(failures.email, email)
    const source = eq(failures.address, browser ?? address)
    const waits = [
      oldestWhenLimited(db, 10, and(account, source)),
      browser ? undefined : oldestWhenLimited(db, 100, account),
      browser ? undefined : oldestWhenLimited(db, 50, source),
    ].filter((since) => since !== undefined)
    if (waits.length > 0) return Math.ceil((Math.max(...waits) + windowLength - now) / 1000)
    const failure = { email, address: browser ?? address, at: now }
    db.insert(failures).values(failure).run()
  })
}

export function clearAttempts(db: Database, email: string, address: string): void {
  const theirs = and(eq(failures.email, email), eq(failures.address, address))
  db.delete(failures).where(theirs).run()
}

function oldestWhenLimited(db: Database, limit: number, where: SQL | undefined): number | undefined {
  const figures = { count: count(), oldest: min(failures.at) }
  const row = db.select(figures).from(failures).where(where).get()
  return row && row.count >= limit ? (row.oldest ?? undefined) : undefined
}
