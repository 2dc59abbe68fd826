import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { allOf, anyOf, everyone, group, has, impersonationPolicy, owned, type Rule } from '../../core/access.ts'
import { findUser } from '../../database/index.ts'
import { logSecurityEvent } from '../../database/security-log.ts'
import { onRecord } from '../../http/access/record-routes.ts'
import { updateSession } from '../../http/access/session.ts'
import { action, carryOut, type Done } from '../../http/action.ts'
import { refererPath, safePath, url } from '../../http/request/addresses.ts'
import type { Context } from '../../http/request/context.ts'
import { realAuthorOf } from '../../http/request/person.ts'
import { template } from '../../http/request/template.ts'
import { exceptSelf, exceptSuperadministrators, withoutImpersonation } from './access.ts'
import { type User, userLabel } from './user.ts'

const confirmationPage = template<{ title: string; action: string }>('users/impersonate.njk')

const inGroups = (description: string, ...groups: number[]) => owned<User>(description, (_, user) => groups.includes(user.group_id))

const activeUsers = owned<User>('active users', (_, user) => user.active)

const impersonationGuards = allOf<User>(exceptSuperadministrators, exceptSelf, anyOf(everyone(activeUsers)), withoutImpersonation)

export const mayImpersonate = allOf<User>(
  anyOf(
    has('admin_can_auth', inGroups('administrators', group.administrator)),
    has('dealer_can_auth', inGroups('dealers', group.dealer)),
    has('manager_can_auth', inGroups('managers and production users', group.manager, group.production)),
  ),
  impersonationGuards,
)

export function mayImpersonateGroup(groupId: number): Rule<User> {
  return allOf(anyOf<User>(has(impersonationPolicy(groupId))), impersonationGuards)
}

export function impersonationRoutes(app: FastifyInstance): void {
  const policy = { access: mayImpersonate, record: findUser }
  app.get('/impersonate/:id', onRecord({ ...policy, changesState: true, answers: 'redirect' }, openImpersonation))
  app.post('/impersonate/:id', action(policy, impersonate))
  app.post('/impersonate/leave', action({ access: 'signed-in' }, leaveImpersonation))
}

/** A link that was typed, mailed or written into a text may come from anybody, so it asks for confirmation first. */
function openImpersonation(request: FastifyRequest, reply: FastifyReply, target: User) {
  if (isOffered(request)) return carryOut(request, reply, { perform: impersonate })
  const name = userLabel(target)
  return reply.page(confirmationPage, {
    title: request.t('Sign in as {name}?', { name }),
    action: url(request.server, `/impersonate/${target.id}`),
  })
}

/** Whether a browser was led here by a page that offers it in rows or a menu of its own. Scripts do not say where they come from. */
function isOffered(request: FastifyRequest): boolean {
  const { headers, server } = request
  const site = headers['sec-fetch-site']
  if (!site) return true
  const people = [...server.registry.userTypes.values()].map(({ name }) => name).join('|')
  const offering = new RegExp(`^/((${people})(/edit/\\d+)?|company/edit/\\d+)$`)
  const path = refererPath(request)?.split('?')[0]?.slice(server.config.baseUrl.length)
  return site === 'same-origin' && path !== undefined && offering.test(path)
}

function impersonate(request: FastifyRequest, target: User): Done {
  const { server, author } = request
  const home = url(server, '/')
  updateSession(request, { acting_as_id: target.id, return_to: safePath(server, refererPath(request), home) })
  logSecurityEvent(server.db, { event: 'impersonation-begun', author, user: target })
  return { location: home }
}

function leaveImpersonation(request: FastifyRequest): Done {
  const { server, signIn } = request
  const { impersonating } = signIn
  if (impersonating) logImpersonationEnd(request)
  updateSession(request, { acting_as_id: null, return_to: null })
  return { location: impersonating?.returnTo ?? url(server, '/'), message: impersonating ? ['Back in your own account'] : undefined }
}

export function logImpersonationEnd(context: Context): void {
  const { actor, server } = context
  logSecurityEvent(server.db, { event: 'impersonation-ended', author: realAuthorOf(context.author), user: actor })
}
