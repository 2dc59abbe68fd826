import { and, eq, gt, isNull, sql } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import { hashToken, newToken } from '../../core/tokens.ts'
import { type Author, apiTokens, bestEffort, type Database, logRow, logSecurityEvent, prepareOnce, write } from '../../database/index.ts'
import { HttpError } from '../request/errors.ts'
import { personFinder } from './person-reader.ts'
import { LimitReached, networkOf, type RateLimit } from './rate-limit.ts'

export type ApiToken = typeof apiTokens.$inferSelect

/** By which people and programs that look for leaked secrets know what it is. */
const prefix = 'cabinet_'

export const newApiToken = () => prefix + newToken()

/** Other programs ask here, by token and never by cookie. The route says so, since an address can be written in many ways. */
export function isApiRequest({ routeOptions, url, server }: FastifyRequest): boolean {
  return (routeOptions.url ?? url).startsWith(`${server.config.baseUrl}/api/`)
}

export class TokenRequired extends HttpError {
  constructor(message = 'Send a valid token in the header "Authorization: Bearer".') {
    super(401, message)
  }
}

/** Whom a request to the API acts for: the person of its token, with the rights they have at this moment. */
export const tokenLoader = prepareOnce((db) => {
  const usable = and(
    eq(apiTokens.token_hash, sql.placeholder('hash')),
    isNull(apiTokens.revoked_at),
    gt(apiTokens.expires_at, sql.placeholder('now')),
  )
  const byHash = db.select().from(apiTokens).where(usable).prepare()
  const findPerson = personFinder(db)
  return (request: FastifyRequest): void => {
    if (request.url.includes(prefix))
      throw new TokenRequired('A token must not be part of an address. Revoke this one: addresses are logged.')
    const given = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
    const token = given && byHash.get({ hash: hashToken(given), now: Date.now() })
    const person = token && findPerson(token.user_id)
    if (!person) return
    request.signIn = { ...request.signIn, apiToken: token }
    request.actor = person
  }
})

/** How stale `last_used_at` may become: reading is not a write each time. */
const touchInterval = 5 * 60_000
const networkLimit = 50

/** Remembers when and from where a token was used, and tells the security log of a network that is new to it. */
export function noteUse(request: FastifyRequest, token: ApiToken): void {
  const now = Date.now()
  const network = networkOf(request.ip)
  const isKnown = token.networks.includes(network)
  if (isKnown && token.last_address === request.ip && now - (token.last_used_at ?? 0) < touchInterval) return
  const networks = isKnown ? token.networks : [...token.networks, network].slice(-networkLimit)
  bestEffort(() =>
    write(request.server.db, () => {
      const used = { last_used_at: now, last_address: request.ip, networks }
      request.server.db.update(apiTokens).set(used).where(eq(apiTokens.id, token.id)).run()
      if (!isKnown) logSecurityEvent(request.server.db, { event: 'token-used', author: request.author, detail: token.name })
    }),
  )
}

const requestLimit: RateLimit = { limit: 600, window: 60_000 }

/** Of a person, however many tokens they have. Counted in memory: a request that only reads must not wait for the disk. */
export function countRequest(db: Database, { user_id }: ApiToken): void {
  const now = Date.now()
  const counted = requestCounts(db)
  const known = counted.get(user_id)
  const current = known && known.since > now - requestLimit.window ? known : { since: now, requests: 0 }
  counted.set(user_id, current)
  if (++current.requests <= requestLimit.limit) return
  const wait = Math.ceil((current.since + requestLimit.window - now) / 1000)
  throw new LimitReached(wait, 'The tokens of one person can send up to {max} requests a minute. Try again after {time}.', {
    max: requestLimit.limit,
  })
}

/** By person. */
export const requestCounts = prepareOnce(() => new Map<number, { since: number; requests: number }>())

/** Ends every token of an account that is deactivated. Call it inside `write`. */
export function revokeTokensOf(db: Database, userId: number, author: Author): void {
  const theirs = and(eq(apiTokens.user_id, userId), isNull(apiTokens.revoked_at))
  for (const token of db.select().from(apiTokens).where(theirs).all()) endToken(db, token, author)
}

/** Ends a token. Call it inside `write`. */
export function endToken(db: Database, token: ApiToken, author: Author): void {
  const { id, name } = token
  const revoked = { revoked_at: Date.now() }
  db.update(apiTokens).set(revoked).where(eq(apiTokens.id, id)).run()
  logRow(db, apiTokens, { action: 'update', id, label: name, before: token, after: revoked }, author)
}
