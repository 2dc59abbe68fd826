import { and, count, eq, getTableColumns, gt, inArray, lt, max } from 'drizzle-orm'
import { type Author, type Database, logSecurityEvent, passwordResets as resets, users, write } from '../../database/index.ts'
import { hashToken, newToken } from '../../web/access/tokens.ts'
import { type User, userLabel } from '../users/accounts.ts'

const minute = 60_000
const hour = 60 * minute
/** Limits what strangers can send to a mailbox. */
const mailsPerHour = 5

export function createResetLinks(db: Database, email: string, author: Author): { user: User; token: string }[] {
  const at = Date.now()
  return write(db, () => {
    const expired = lt(resets.at, at - hour)
    db.delete(resets).where(expired).run()
    const active = and(eq(users.email, email), eq(users.active, true))
    const accounts = db.select().from(users).where(active).orderBy(users.id).all()
    if (accounts.length === 0 || isRateLimited(db, accounts, at)) return []
    return accounts.map((user) => {
      const token = newToken()
      const reset = { token_hash: hashToken(token), user_id: user.id, email, at }
      db.insert(resets).values(reset).run()
      logSecurityEvent(db, { event: 'password-requested', author, user: { id: user.id, name: userLabel(user) } })
      return { user, token }
    })
  })
}

function isRateLimited(db: Database, accounts: User[], now: number): boolean {
  const ids = accounts.map(({ id }) => id)
  const figures = { count: count(), last: max(resets.at) }
  const mailed = db.select(figures).from(resets).where(inArray(resets.user_id, ids)).groupBy(resets.user_id).all()
  return mailed.some(({ count, last }) => count >= mailsPerHour || (last ?? 0) > now - minute)
}

export function findUserByResetToken(db: Database, token: string): User | undefined {
  const account = and(eq(users.id, resets.user_id), eq(users.email, resets.email), eq(users.active, true))
  const named = and(eq(resets.token_hash, hashToken(token)), gt(resets.at, Date.now() - hour))
  return db.select(getTableColumns(users)).from(resets).innerJoin(users, account).where(named).get()
}
