import { and, desc, eq, gt } from 'drizzle-orm'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { allOf, anyOf, group, inOwnName, isGroup, superadministrator } from '../../core/access.ts'
import { describeUserAgent } from '../../core/user-agent.ts'
import type { Database } from '../../database/open.ts'
import { sessions, users } from '../../database/schema/index.ts'
import { logSecurityEvent } from '../../database/security-log.ts'
import { parseId, writeRecord } from '../../web/access/policy-hook.ts'
import { hasSecondFactor } from '../../web/access/second-factor.ts'
import { expiryThresholds } from '../../web/access/session-expiry.ts'
import { type CardFrame, cardPart } from '../../web/card/pages.ts'
import type { Tab } from '../../web/card/tabs.ts'
import { flash } from '../../web/flash.ts'
import { authorOf, HttpError, notFound, url } from '../../web/http.ts'
import { bodyOf } from '../../web/request.ts'
import { page } from '../../web/view/page.ts'
import { exceptSuperadministrators, type UserFacts } from './access.ts'
import { type User, userLabel } from './accounts.ts'
import type { UserType } from './user-type.ts'

const sessionsPage = page<CardFrame & { sessions: ReturnType<typeof activeSessions>; sessionsPath: string; factorPath?: string }>(
  'users/sessions.njk',
)

export const mayResetFactor = anyOf(superadministrator)

function mayEndSessions(userType: UserType) {
  return allOf<UserFacts>(userType.may.edit, anyOf(isGroup(group.administrator)), exceptSuperadministrators, anyOf(inOwnName))
}

export function userSessionsTab(userType: UserType): Tab<User> {
  return {
    name: 'sessions',
    label: 'Sessions',
    rule: mayEndSessions(userType),
    ...cardPart(sessionsPage, (request: FastifyRequest, user: User) => presentSessions(request, userType, user)),
  }
}

function presentSessions({ actor, server, sessionId }: FastifyRequest, { name }: UserType, { id }: User) {
  const card = url(server, `/${name}/edit/${id}`)
  const resets = actor.superadmin && !actor.impersonator && hasSecondFactor(server.db)(id)
  return {
    sessions: activeSessions(server.db, id, sessionId),
    sessionsPath: `${card}/sessions/end`,
    ...(resets && { factorPath: `${card}/factor/reset` }),
  }
}

export function userSessionRoutes(app: FastifyInstance, userType: UserType): void {
  const record = userType.find
  app.post(`/${userType.name}/edit/:id/sessions/end`, { access: mayEndSessions(userType), record }, (request, reply) =>
    endSessions(request, reply, userType),
  )
}

function endSessions(request: FastifyRequest, reply: FastifyReply, { name }: UserType) {
  const { db } = request.server
  const body = bodyOf(request)
  const all = body.get('all') === '1'
  const id = parseId(body.get('id'))
  if (!all && id === undefined) throw new HttpError(422, 'Nothing selected.')
  const target = writeRecord(request, (user: User) => {
    const which = and(eq(sessions.user_id, user.id), all ? undefined : eq(sessions.id, id as number))
    const { changes } = db.delete(sessions).where(which).run()
    if (!all && changes === 0) throw notFound()
    const detail = String(changes)
    logSecurityEvent(db, { event: 'sessions-ended', author: authorOf(request), user: { id: user.id, name: userLabel(user) }, detail })
    return user
  })
  flash(request, all ? 'All sessions of {name} signed out' : 'Session of {name} signed out', { name: userLabel(target) })
  return reply.redirect(url(request.server, `/${name}/edit/${target.id}?tab=sessions`), 303)
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
