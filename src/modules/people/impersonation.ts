import { eq } from 'drizzle-orm'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { all, anyOf, everyone, group, has, type Ownership, type Rule } from '../../core/access.ts'
import { impersonationPolicy } from '../../core/impersonation.ts'
import { sessions, users } from '../../database/schema/index.ts'
import { flash } from '../../web/flash.ts'
import { cameFrom, type FindRecord, safePath, url } from '../../web/http.ts'
import { actingAsOneself, sparingOneself, sparingSuperadministrators } from './access.ts'
import type { User } from './accounts.ts'

const ofGroups = (words: string, ...groups: number[]): Ownership<User> => ({
  words,
  test: (_, user) => groups.includes(user.group_id),
})

const active: Ownership<User> = { words: 'people who are switched on', test: (_, user) => user.active }

const closed = all<User>(sparingSuperadministrators, sparingOneself, anyOf(everyone(active)), actingAsOneself)

/** Signing in as somebody: the policy of their group, and the closed rules. */
export const mayImpersonate = all<User>(
  anyOf(
    has('admin_can_auth', ofGroups('administrators', group.administrator)),
    has('dealer_can_auth', ofGroups('dealers', group.dealer)),
    has('manager_can_auth', ofGroups('managers and production users', group.manager, group.production)),
  ),
  closed,
)

/** The same for the people of one group, whoever they are. */
export function mayImpersonateGroup(groupId: number): Rule<User> {
  return all(anyOf<User>(has(impersonationPolicy(groupId))), closed)
}

const findUser: FindRecord<User> = (db, id) => db.select().from(users).where(eq(users.id, id)).get()

export function impersonationRoutes(app: FastifyInstance): void {
  app.get('/impersonate/:id', { access: mayImpersonate, record: findUser, changesState: true, answers: 'redirect' }, impersonate)
  app.post('/impersonate/leave', { access: 'signed-in' }, leave)
}

function impersonate(request: FastifyRequest, reply: FastifyReply) {
  const target = request.record as User
  const home = url(request.server, '/')
  const returnTo = safePath(request.server, cameFrom(request), home)
  setActing(request, target.id, returnTo)
  return reply.redirect(home, 303)
}

function leave(request: FastifyRequest, reply: FastifyReply) {
  const returnTo = request.impersonating?.returnTo ?? url(request.server, '/')
  if (request.impersonating) flash(request, 'You are yourself again.')
  setActing(request, null, null)
  return reply.redirect(returnTo, 303)
}

function setActing(request: FastifyRequest, actingAsId: number | null, returnTo: string | null): void {
  request.server.db
    .update(sessions)
    .set({ acting_as_id: actingAsId, return_to: returnTo })
    .where(eq(sessions.id, request.sessionId as number))
    .run()
}
