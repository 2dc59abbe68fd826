import { eq, sql } from 'drizzle-orm'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { checkAccess, impersonationPolicy } from '../../core/access.ts'
import { ofPrices, seesPrices } from '../../core/prices.ts'
import { fullName } from '../../core/text.ts'
import { hashToken } from '../../core/tokens.ts'
import { type Author, bestEffort, type Database, logSecurityEvent, prepareOnce, sessions } from '../../database/index.ts'
import { HttpError } from '../request/errors.ts'
import type { Person } from '../request/person.ts'
import type { ApiToken } from './api-tokens.ts'
import { personFinder } from './person-reader.ts'
import { mustSetUpFactor } from './second-factor.ts'
import { expiryThresholds } from './session-expiry.ts'

/** How stale `seen_at` may become: a page view is not a write each time. */
const touchInterval = 5 * 60_000

/** With what a request comes. */
export interface SignIn {
  sessionId: number | null
  apiToken: ApiToken | null
  /** The owner of an expired session that the cookie names. */
  expiredPerson: Person | null
  impersonating: { returnTo: string } | null
  pendingFlash: string | null
}

export const nobody: SignIn = Object.freeze({
  sessionId: null,
  apiToken: null,
  expiredPerson: null,
  impersonating: null,
  pendingFlash: null,
})

export const sessionLoader = prepareOnce((db) => {
  const named = eq(sessions.token_hash, sql.placeholder('hash'))
  const byToken = db.select().from(sessions).where(named).prepare()
  const findPerson = personFinder(db)
  return (request: FastifyRequest): void => {
    const token = request.session.get('sid')
    const session = token ? byToken.get({ hash: hashToken(token) }) : undefined
    const person = session && findPerson(session.user_id)
    if (!person) return
    if (isExpired(session)) {
      // Forms submitted while impersonating are not saved: after signing in again people act in their own name.
      if (session.return_to === null) request.signIn = { ...nobody, expiredPerson: person }
      return
    }
    const { background } = request.routeOptions.config
    // That an impersonation is over is for its person to learn, not for a page that asks by itself.
    if (background && isImpersonationOver(request, session, person)) return
    if (!background) touch(db, session)
    request.signIn = { ...nobody, sessionId: session.id, pendingFlash: session.flash }
    request.authenticatedAt = session.proved_at
    request.actor = person
    if (session.return_to !== null) impersonate(request, session.acting_as_id, session.return_to, findPerson)
  }
})

function isImpersonationOver(
  { server }: Pick<FastifyRequest, 'server'>,
  session: { id: number; return_to: string | null },
  self: Person,
): boolean {
  if (session.return_to === null) return false
  return mustSetUpFactor(server, self) || effectiveUserId(server.db)(session.id) === undefined
}

/** The actor becomes the impersonated person, unless that may no longer be: then the impersonation is over. */
function impersonate(request: FastifyRequest, targetId: number | null, returnTo: string, findPerson: (id: number) => Person | undefined) {
  const self = request.actor
  const target = mustSetUpFactor(request.server, self) ? undefined : findImpersonated(self, targetId, findPerson)
  if (!target) {
    const own = eq(sessions.id, request.signIn.sessionId ?? 0)
    request.server.db.update(sessions).set({ acting_as_id: null, return_to: null }).where(own).run()
    logSecurityEvent(request.server.db, { event: 'impersonation-ended', author: request.author })
    throw new ImpersonationEnded(returnTo)
  }
  request.actor = asImpersonated(self, target)
  request.signIn.impersonating = { returnTo }
}

function asImpersonated(self: Person, target: Person): Person {
  const impersonator = { id: self.id, superadmin: self.superadmin, fullName: fullName({ ...self, middlename: null }) }
  const { language, theme, key_shortcuts } = self
  return { ...target, language, theme, key_shortcuts, policies: policiesThrough(self, target), impersonator }
}

/** Whoever may not see prices does not see them through the eyes of others. */
function policiesThrough(self: Person, { policies }: Person): ReadonlySet<string> {
  return seesPrices(self) ? policies : new Set([...policies].filter((key) => key !== ofPrices.needs))
}

/** Whoever has begun what goes on without a request of theirs, as they are now; nobody who may no longer act, or act as that person. */
export function findAuthor(app: FastifyInstance, { id, impersonator }: Author): Person | undefined {
  const findPerson = personFinder(app.db)
  const self = findPerson(impersonator?.id ?? id ?? 0)
  if (!self || mustSetUpFactor(app, self)) return undefined
  if (!impersonator) return self
  const target = findImpersonated(self, id, findPerson)
  return target && asImpersonated(self, target)
}

function findImpersonated(self: Person, targetId: number | null, findPerson: (id: number) => Person | undefined): Person | undefined {
  const target = targetId === null ? undefined : findPerson(targetId)
  const stillMay = target && checkAccess(self, impersonationPolicy(target.group_id)) && (self.superadmin || !target.superadmin)
  return stillMay ? target : undefined
}

function touch(db: Database, session: { id: number; seen_at: number }): void {
  const now = Date.now()
  if (now - session.seen_at > touchInterval)
    bestEffort(() => db.update(sessions).set({ seen_at: now }).where(eq(sessions.id, session.id)).run())
}

/** The id of the person whose pages a session shows now, none once it has ended: for what outlives a request. */
export const effectiveUserId = prepareOnce((db, params) => {
  const findPerson = personFinder(db)
  const byId = db.select().from(sessions).where(eq(sessions.id, params.id)).prepare()
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

function isExpired(session: { created_at: number; seen_at: number }): boolean {
  const { seen, created } = expiryThresholds()
  return session.seen_at < seen || session.created_at < created
}
