import { and, count, desc, eq, gt, isNull } from 'drizzle-orm'
import { hashToken } from '../../../core/tokens.ts'
import { apiTokens, type Database, logRow, logSecurityEvent, users } from '../../../database/index.ts'
import { type ApiToken, endToken, newApiToken } from '../../../http/access/api-tokens.ts'
import { countHit, tooManyMessage } from '../../../http/access/rate-limit.ts'
import type { Context } from '../../../http/request/context.ts'
import { notFound, ValidationFailed } from '../../../http/request/errors.ts'
import type { Person } from '../../../http/request/person.ts'
import type { FindRecord } from '../../../http/request/route-policy.ts'
import { parseDateTimeInput } from '../../../i18n/format.ts'
import { choice, dateTime, text, toggle } from '../../../records/fields/index.ts'
import type { Subordinate } from '../../../records/history/subordinates.ts'
import type { User } from '../user.ts'

const tokensPerUser = 50
/** Revoked ones stay listed. */
const hourlyLimit = { limit: 100, window: 3600_000 }

export const tokenRecords: Subordinate = {
  table: apiTokens,
  title: 'API tokens',
  fields: {
    user_id: choice('User'),
    name: text('Token name'),
    read_only: toggle('Read-only'),
    expires_at: dateTime('Valid until'),
    revoked_at: dateTime('Revoked'),
  },
  owners: [{ table: users, column: apiTokens.user_id }],
}

export const findApiToken: FindRecord<ApiToken> = (db, id) => db.select().from(apiTokens).where(eq(apiTokens.id, id)).get()

/** What can be used comes first; the token itself is nowhere. */
export function tokensOf(db: Database, userId: number) {
  const theirs = db
    .select()
    .from(apiTokens)
    .where(eq(apiTokens.user_id, userId))
    .orderBy(isNull(apiTokens.revoked_at), desc(apiTokens.id))
    .all()
  const now = Date.now()
  const tokens = theirs.map(({ token_hash, networks, ...token }) => ({ ...token, state: stateOf(token, now) }))
  return tokens.sort((one, other) => Number(other.state === 'usable') - Number(one.state === 'usable') || other.id - one.id)
}

export type ListedToken = ReturnType<typeof tokensOf>[number]

function stateOf({ revoked_at, expires_at }: Pick<ApiToken, 'revoked_at' | 'expires_at'>, now: number) {
  return revoked_at !== null ? 'revoked' : expires_at <= now ? 'expired' : 'usable'
}

interface NewToken {
  name: string
  /** The last day (YYYY-MM-DD) on which it works; without one it works for a year. */
  expires?: string | null
  read_only?: boolean
}

/**
 * Makes a token with which other programs act for its person. Call it inside `write`.
 * @returns the token, of which only the hash is stored
 */
export function createToken({ server: { db }, actor, author }: Context, { name, expires, read_only = false }: NewToken): string {
  const token = newApiToken()
  const now = Date.now()
  const expires_at = expires ? endOf(expires) : new Date(now).setFullYear(new Date(now).getFullYear() + 1)
  if (expires_at <= now) throw new ValidationFailed({ expires: 'Choose a day from today on.' })
  refuseTooMany(db, actor.id, now)
  countHit(db, `token of ${actor.id}`, hourlyLimit, tooManyMessage)
  const row = { user_id: actor.id, name, token_hash: hashToken(token), read_only, created_at: now, expires_at }
  const { id } = db.insert(apiTokens).values(row).returning({ id: apiTokens.id }).get()
  logRow(db, apiTokens, { action: 'create', id, label: name, after: row }, author)
  logSecurityEvent(db, { event: 'token-created', author, detail: name })
  return token
}

function endOf(day: string): number {
  const next = new Date(parseDateTimeInput(`${day}T00:00`) ?? Number.NaN)
  return next.setDate(next.getDate() + 1)
}

function refuseTooMany(db: Database, userId: number, now: number): void {
  const usable = and(eq(apiTokens.user_id, userId), isNull(apiTokens.revoked_at), gt(apiTokens.expires_at, now))
  const { held = 0 } = db.select({ held: count() }).from(apiTokens).where(usable).get() ?? {}
  if (held >= tokensPerUser) throw new ValidationFailed({ name: 'You have too many tokens. Revoke one first.' })
}

/**
 * Ends a token of somebody; again it changes nothing. Call it inside `write`.
 * @throws HttpError 404 for a token of somebody else
 */
export function revokeToken({ server: { db }, author }: Context, user: User | Person, id: number): void {
  const token = findApiToken(db, id)
  if (token?.user_id !== user.id) throw notFound()
  if (token.revoked_at !== null) return
  endToken(db, token, author)
  logSecurityEvent(db, { event: 'token-revoked', author, user, detail: token.name })
}
