import secureSession, { type Session } from '@fastify/secure-session'
import { and, desc, eq, getTableColumns, gt, notInArray, sql } from 'drizzle-orm'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { checkAccess } from '../../core/access.ts'
import { impersonationPolicy } from '../../core/impersonation.ts'
import type { Database } from '../../database/open.ts'
import { prepareOnce } from '../../database/prepare-once.ts'
import { passwordResets, policies, sessions, userPolicies, users } from '../../database/schema/index.ts'
import { logSecurityEvent } from '../../database/security-log.ts'
import { bestEffort } from '../../database/storage-unavailable.ts'
import { authorOf, HttpError, type Person } from '../http.ts'
import { sessionKeys } from './session-key.ts'
import { hashToken, newToken } from './tokens.ts'

const idleLimit = 12 * 3600_000
const absoluteLimit = 7 * 24 * 3600_000
/** The browser of an expired session is still remembered, so that a form it submits can be saved for its sender. */
const gracePeriod = 7 * 24 * 3600_000
const sessionsPerUser = 20
/** How stale `seen_at` may become: a page view is not a write each time. */
const touchInterval = 5 * 60_000

declare module '@fastify/secure-session' {
  interface SessionData {
    sid: string
    browser: string
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Who has signed in with this browser: outlives their sessions. */
    knownBrowser: Session<{ token: string; users: number[] }>
    /** Reads the session once more: while a body arrives or a password is hashed, it may have ended. */
    reloadSession: () => void
  }
}

/** Sessions are rows; the encrypted cookie holds only random ids. Sets `request.actor` where one is alive. */
export const sessionPlugin = fp(async (app: FastifyInstance) => {
  const key = sessionKeys(app.config.dataDir, absoluteLimit)
  const cookie = { path: app.config.baseUrl || '/', httpOnly: true, sameSite: 'lax', secure: 'auto' } as const
  const year = 365 * 24 * 3600
  await app.register(secureSession, [
    { sessionName: 'knownBrowser', cookieName: 'cabinet-browser', key, expiry: year, cookie: { ...cookie, maxAge: year } },
    { sessionName: 'session', cookieName: 'cabinet', key, expiry: (absoluteLimit + gracePeriod) / 1000, cookie },
  ])
  app.decorateRequest('sessionId', null)
  app.decorateRequest('expiredPerson', null)
  app.decorateRequest('impersonating', null)
  app.decorateRequest('authenticatedAt', 0)
  app.decorateRequest('pendingFlash', null)
  const load = sessionLoader(app.db)
  app.decorateRequest('reloadSession', function (this: FastifyRequest) {
    load(Object.assign(this, { sessionId: null, expiredPerson: null, impersonating: null, pendingFlash: null }))
  })
  app.addHook('onRequest', (request, _reply, done) => {
    load(request)
    done()
  })
})

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
  request.sessionId = Number(lastInsertRowid)
  request.session.set('sid', token)
}

/** Nobody fills the table with sessions: of one person the latest go on. */
function endOldestSessions(db: Database, userId: number, now: number): void {
  const { seen, created } = expiryThresholds(now)
  const live = and(eq(sessions.user_id, userId), gt(sessions.seen_at, seen), gt(sessions.created_at, created))
  const latest = db.select({ id: sessions.id }).from(sessions).where(live).orderBy(desc(sessions.id)).limit(sessionsPerUser)
  db.delete(sessions)
    .where(and(live, notInArray(sessions.id, latest)))
    .run()
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
  for (const end of endSessionStatements(db)) end.run({ userId })
}

const endSessionStatements = prepareOnce((db) => {
  const userId = sql.placeholder('userId')
  return [
    db.delete(passwordResets).where(eq(passwordResets.user_id, userId)).prepare(),
    db.delete(sessions).where(eq(sessions.user_id, userId)).prepare(),
    db.update(sessions).set({ acting_as_id: null }).where(eq(sessions.acting_as_id, userId)).prepare(),
  ]
})

function sessionLoader(db: Database) {
  const byToken = db
    .select()
    .from(sessions)
    .where(eq(sessions.token_hash, sql.placeholder('hash')))
    .prepare()
  const findPerson = personFinder(db)
  return (request: FastifyRequest) => {
    const token = request.session.get('sid')
    const session = token ? byToken.get({ hash: hashToken(token) }) : undefined
    const person = session && findPerson(session.user_id)
    if (!person) return
    if (isExpired(session)) {
      // Forms submitted while impersonating are not saved: after signing in again people act in their own name.
      if (session.return_to === null) request.expiredPerson = person
      return
    }
    const { background } = request.routeOptions.config
    // That an impersonation is over is for its person to learn, not for a page that asks by itself.
    if (background && effectiveUserId(db)(session.id) === undefined) return
    if (!background) touch(db, session)
    request.sessionId = session.id
    request.pendingFlash = session.flash
    request.authenticatedAt = session.proved_at
    request.actor = person
    if (session.return_to !== null) impersonate(request, session.acting_as_id, session.return_to, findPerson)
  }
}

/** The actor becomes the impersonated person, unless that may no longer be: then the impersonation is over. */
function impersonate(request: FastifyRequest, targetId: number | null, returnTo: string, findPerson: (id: number) => Person | undefined) {
  const self = request.actor
  const target = findImpersonated(self, targetId, findPerson)
  if (!target) {
    request.server.db
      .update(sessions)
      .set({ acting_as_id: null, return_to: null })
      .where(eq(sessions.id, request.sessionId ?? 0))
      .run()
    logSecurityEvent(request.server.db, { event: 'impersonation-ended', author: authorOf(request) })
    throw new ImpersonationEnded(returnTo)
  }
  const fullName = `${self.lastname} ${self.name}`
  request.actor = {
    ...target,
    language: self.language,
    theme: self.theme,
    impersonator: { id: self.id, superadmin: self.superadmin, fullName },
  }
  request.impersonating = { returnTo }
}

function findImpersonated(self: Person, targetId: number | null, findPerson: (id: number) => Person | undefined): Person | undefined {
  const target = targetId === null ? undefined : findPerson(targetId)
  const stillMay = target && checkAccess(self, impersonationPolicy(target.group_id)) && (self.superadmin || !target.superadmin)
  return stillMay ? target : undefined
}

/** The id of the person whose pages a session shows now, none once it has ended: for what outlives a request. */
export const effectiveUserId = prepareOnce((db) => {
  const findPerson = personFinder(db)
  const byId = db
    .select()
    .from(sessions)
    .where(eq(sessions.id, sql.placeholder('id')))
    .prepare()
  return (id: number): number | undefined => {
    const session = byId.get({ id })
    const self = session && !isExpired(session) ? findPerson(session.user_id) : undefined
    if (!self || session?.return_to == null) return self?.id
    return findImpersonated(self, session.acting_as_id, findPerson)?.id
  }
})

/** Nothing of the request may be carried out in another name than the person saw: they are led back instead. */
export class ImpersonationEnded extends HttpError {
  readonly returnTo: string
  constructor(returnTo: string) {
    super(303, 'Impersonation ended: this account is no longer available.')
    this.returnTo = returnTo
  }
}

export function personFinder(db: Database): (id: number) => Person | undefined {
  const read = personReader(db)
  return (id) => {
    const person = read(id)
    return person?.active ? person : undefined
  }
}

/** Reads a person with their granted policies, switched off or not. */
export function personReader(db: Database): (id: number) => (Person & { active: boolean }) | undefined {
  const { password, search, ...columns } = getTableColumns(users)
  const granted = sql<string | null>`(select group_concat(p.key) from ${userPolicies} g
    join ${policies} p on p.id = g.policy_id where g.user_id = ${sql.placeholder('id')} and g.value = 1)`
  const byId = db
    .select({ ...columns, granted })
    .from(users)
    .where(eq(users.id, sql.placeholder('id')))
    .prepare()
  return (id) => {
    const row = byId.get({ id })
    return row && Object.assign(row, { policies: parsePolicies(row.granted) })
  }
}

/** Sets of policies by their own text, so that the same one is not taken apart for each request. */
const policySets = new Map<string | null, ReadonlySet<string>>()
const policySetLimit = 1000

function parsePolicies(granted: string | null): ReadonlySet<string> {
  const known = policySets.get(granted)
  if (known) return known
  if (policySets.size === policySetLimit) policySets.clear()
  const set = new Set(granted?.split(','))
  policySets.set(granted, set)
  return set
}

function isExpired(session: { created_at: number; seen_at: number }): boolean {
  const { seen, created } = expiryThresholds()
  return session.seen_at < seen || session.created_at < created
}

/** Sessions last seen, or begun, before these moments have run out (decisions, sign-in). */
export function expiryThresholds(at = Date.now()): { seen: number; created: number } {
  return { seen: at - idleLimit, created: at - absoluteLimit }
}

export function graceThresholds(): { seen: number; created: number } {
  return expiryThresholds(Date.now() - gracePeriod)
}

function touch(db: Database, session: { id: number; seen_at: number }): void {
  const now = Date.now()
  if (now - session.seen_at > touchInterval)
    bestEffort(() => db.update(sessions).set({ seen_at: now }).where(eq(sessions.id, session.id)).run())
}
