import secureSession, { type Session } from '@fastify/secure-session'
import { and, desc, eq, gt, notInArray } from 'drizzle-orm'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { fullName } from '../../core/text.ts'
import { hashToken, newToken } from '../../core/tokens.ts'
import { type Author, type Database, passwordResets, prepareOnce, sessions } from '../../database/index.ts'
import { clientOf } from '../request/input.ts'
import { isApiRequest, tokenLoader } from './api-tokens.ts'
import { absoluteLimit, expiryThresholds, gracePeriod } from './session-expiry.ts'
import { sessionKeys } from './session-key.ts'
import { nobody, type SignIn, sessionLoader } from './session-loader.ts'

const sessionsPerUser = 20
declare module '@fastify/secure-session' {
  interface SessionData {
    sid: string
    browser: string
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    knownBrowser: Session<{ token: string; users: number[] }>
    signIn: SignIn
  }
}

/** Sessions are rows; the encrypted cookie holds only random ids. Sets `request.actor` where one is alive, or the token of a request to the API. */
export const sessionPlugin = fp(async (app: FastifyInstance) => {
  const key = sessionKeys(app.config.dataDir, absoluteLimit)
  const cookie = { path: app.config.baseUrl || '/', httpOnly: true, sameSite: 'lax', secure: 'auto' } as const
  const year = 365 * 24 * 3600
  await app.register(secureSession, [
    { sessionName: 'knownBrowser', cookieName: 'cabinet-browser', key, expiry: year, cookie: { ...cookie, maxAge: year } },
    { sessionName: 'session', cookieName: 'cabinet', key, expiry: (absoluteLimit + gracePeriod) / 1000, cookie },
  ])
  app.decorateRequest('signIn')
  app.decorateRequest('authenticatedAt', 0)
  app.decorateRequest('author', { getter: authorOf })
  app.addHook('onRequest', (request, _reply, done) => {
    loadSignIn(request)
    done()
  })
})

/** Also once more: while a body arrives or a password is hashed, a session may have ended. */
export function loadSignIn(request: FastifyRequest): void {
  const load = isApiRequest(request) ? tokenLoader : sessionLoader
  request.signIn = nobody
  load(request.server.db)(request)
}

function authorOf(this: FastifyRequest): Author {
  const { actor } = this
  const impersonator = actor.impersonator && { id: actor.impersonator.id, name: actor.impersonator.fullName }
  return { id: actor.id, name: fullName({ ...actor, middlename: null }), impersonator, ...clientOf(this) }
}

export function openSession(request: FastifyRequest, userId: number): void {
  const { db } = request.server
  deleteSession(request)
  const token = newToken()
  const at = Date.now()
  const userAgent = (request.headers['user-agent'] ?? '').slice(0, 255)
  const { lastInsertRowid } = db
    .insert(sessions)
    .values({
      token_hash: hashToken(token),
      user_id: userId,
      address: request.ip,
      user_agent: userAgent,
      created_at: at,
      seen_at: at,
      proved_at: at,
    })
    .run()
  endOldestSessions(db, userId, at)
  request.signIn = { ...request.signIn, sessionId: Number(lastInsertRowid) }
  request.session.set('sid', token)
}

function endOldestSessions(db: Database, userId: number, now: number): void {
  const { seen, created } = expiryThresholds(now)
  const live = and(eq(sessions.user_id, userId), gt(sessions.seen_at, seen), gt(sessions.created_at, created))
  const latest = db.select({ id: sessions.id }).from(sessions).where(live).orderBy(desc(sessions.id)).limit(sessionsPerUser)
  const older = and(live, notInArray(sessions.id, latest))
  db.delete(sessions).where(older).run()
}

export function updateSession({ server, signIn }: FastifyRequest, values: Partial<typeof sessions.$inferInsert>): void {
  const own = eq(sessions.id, signIn.sessionId as number)
  server.db.update(sessions).set(values).where(own).run()
}

export function endSession(request: FastifyRequest): void {
  deleteSession(request)
  request.session.delete()
}

function deleteSession({ server, session }: FastifyRequest): void {
  const token = session.get('sid')
  if (token)
    server.db
      .delete(sessions)
      .where(eq(sessions.token_hash, hashToken(token)))
      .run()
}

/**
 * Ends every session of a person, every impersonation of them and every link that would give them a new password: after a password
 * change, a deactivation, a deletion.
 */
export function endSessionsOf(db: Database, userId: number): void {
  for (const end of endSessionStatements(db)) end.run({ user: userId })
}

const endSessionStatements = prepareOnce((db, params) => {
  const userId = params.user
  return [
    db.delete(passwordResets).where(eq(passwordResets.user_id, userId)).prepare(),
    db.delete(sessions).where(eq(sessions.user_id, userId)).prepare(),
    db.update(sessions).set({ acting_as_id: null }).where(eq(sessions.acting_as_id, userId)).prepare(),
  ]
})
