import { and, desc, eq, gt, ne } from 'drizzle-orm'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { allOf, anyOf, group, inOwnName, isGroup } from '../../core/access.ts'
import { describeUserAgent } from '../../core/user-agent.ts'
import { type Database, logSecurityEvent, sessions, users } from '../../database/index.ts'
import { hasPasskey, hasSecondFactor } from '../../http/access/second-factor.ts'
import { expiryThresholds } from '../../http/access/session-expiry.ts'
import { action, type Done } from '../../http/action.ts'
import { url } from '../../http/request/addresses.ts'
import type { Context } from '../../http/request/context.ts'
import { HttpError, notFound } from '../../http/request/errors.ts'
import { bodyOf, parseId } from '../../http/request/input.ts'
import type { Person } from '../../http/request/person.ts'
import { template } from '../../http/request/template.ts'
import { type CardFrame, cardPart, type Tab } from '../../records/kind/card.ts'
import { exceptSuperadministrators, type UserFacts } from './access.ts'
import { doneAtTab } from './done-at-tab.ts'
import { type User, userLabel } from './user.ts'
import type { UserType } from './user-type.ts'

const sessionsPage = template<CardFrame & { sessions: ReturnType<typeof activeSessions>; sessionsPath: string; factorPath?: string }>(
  'users/sessions.njk',
)

export function mayEndSessions(userType: UserType) {
  return allOf<UserFacts>(userType.may.edit, anyOf(isGroup(group.administrator)), exceptSuperadministrators, anyOf(inOwnName))
}

export function userSessionsTab(userType: UserType): Tab<User> {
  return {
    name: 'sessions',
    label: 'Sessions',
    icon: 'clock',
    rule: mayEndSessions(userType),
    ...cardPart(sessionsPage, ({ actor, server, signIn }: FastifyRequest, { id }: User) => {
      const card = url(server, `/${userType.name}/edit/${id}`)
      const resets = actor.superadmin && !actor.impersonator && (hasSecondFactor(server.db)(id) || hasPasskey(server.db)(id))
      const sessions = activeSessions(server.db, id, signIn.sessionId)
      return { sessions, sessionsPath: `${card}/sessions/end`, ...(resets && { factorPath: `${card}/factor/reset` }) }
    }),
  }
}

export function userSessionRoutes(app: FastifyInstance, userType: UserType): void {
  const options = { access: mayEndSessions(userType), record: userType.find }
  app.post(`/${userType.name}/edit/:id/sessions/end`, action(options, endSessionsOfUser))
}

function endSessionsOfUser(request: FastifyRequest, user: User): Done {
  const all = bodyOf(request).get('all') === '1'
  const chosen = all ? 'all' : parseId(bodyOf(request).get('id'))
  endSessions(request, user, chosen)
  return doneAtTab(request, user, 'sessions', all ? 'All sessions of {name} signed out' : 'Session of {name} signed out')
}

/**
 * Signs somebody out.
 * @param which the session with this id, all of them, or all but one
 * @throws HttpError 422 without a choice, 404 when the session has ended already
 */
export function endSessions(context: Context, user: Person | User, which: number | 'all' | { except: number } | undefined): void {
  const { db } = context.server
  if (which === undefined) throw new HttpError(422, 'Nothing selected.')
  const { changes } = db
    .delete(sessions)
    .where(and(eq(sessions.user_id, user.id), conditionOf(which)))
    .run()
  if (typeof which === 'number' && changes === 0) throw notFound()
  if (changes > 0) logSecurityEvent(db, { event: 'sessions-ended', author: context.author, user, detail: String(changes) })
}

function conditionOf(which: number | 'all' | { except: number }) {
  if (which === 'all') return undefined
  return typeof which === 'number' ? eq(sessions.id, which) : ne(sessions.id, which.except)
}

export function activeSessions(db: Database, userId: number, currentId: number | null) {
  const { seen, created } = expiryThresholds()
  const rows = db
    .select({ session: sessions, actingAs: users })
    .from(sessions)
    .leftJoin(users, eq(users.id, sessions.acting_as_id))
    .where(and(eq(sessions.user_id, userId), gt(sessions.seen_at, seen), gt(sessions.created_at, created)))
    .orderBy(desc(eq(sessions.id, currentId ?? 0)), desc(sessions.seen_at), desc(sessions.id))
    .all()
  return rows.map(({ session, actingAs }) => ({
    ...session,
    device: describeUserAgent(session.user_agent),
    current: session.id === currentId,
    actingAs: actingAs && userLabel(actingAs),
  }))
}
