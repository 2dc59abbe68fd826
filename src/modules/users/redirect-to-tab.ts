import type { FastifyReply, FastifyRequest } from 'fastify'
import { flash, url } from '../../web/http.ts'
import { type User, userLabel } from './user.ts'

export function redirectToTab(request: FastifyRequest, reply: FastifyReply, user: User, tab: string, message: string): FastifyReply {
  const { userTypes } = request.server
  flash(request, message, { name: userLabel(user) })
  return reply.redirect(url(request.server, `/${userTypes.get(user.group_id)?.name}/edit/${user.id}?tab=${tab}`), 303)
}
