import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { allOf, anyOf, inOwnName, superadministrator } from '../../../core/access.ts'
import { writeRecord } from '../../../web/access/policy-hook.ts'
import { requireRecentPassword } from '../../../web/access/reauthentication.ts'
import { flash } from '../../../web/flash.ts'
import { authorOf, url } from '../../../web/http.ts'
import { type User, userLabel } from '../../users/accounts.ts'
import { removeFactor } from './factor.ts'

const mayReset = allOf(anyOf(superadministrator), anyOf(inOwnName))

export async function secondFactorResetRoutes(app: FastifyInstance): Promise<void> {
  for (const { name, find } of app.userTypes.values())
    app.post(`/${name}/edit/:id/factor/reset`, { access: mayReset, record: find }, (request, reply) => resetFactor(request, reply, name))
}

function resetFactor(request: FastifyRequest, reply: FastifyReply, list: string) {
  requireRecentPassword(request)
  const target = writeRecord(request, (user: User) => {
    removeFactor(request.server, user, authorOf(request))
    return user
  })
  flash(request, 'Two-step verification of {name} is off.', { name: userLabel(target) })
  return reply.redirect(url(request.server, `/${list}/edit/${target.id}?tab=sessions`), 303)
}
