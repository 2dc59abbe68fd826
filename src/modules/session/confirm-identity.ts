import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { updateSession } from '../../web/access/session.ts'
import { bodyOf, queryOf, safePath, url } from '../../web/http.ts'
import { page } from '../../web/view/page.ts'
import { realUserId } from '../users/access.ts'
import { findSelf } from '../users/accounts.ts'
import { verifyCurrentPassword } from './current-password.ts'

const confirmPage = page<{ title: string; next: string; email: string; error?: string }>('session/confirm.njk')

export function confirmIdentityRoutes(app: FastifyInstance): void {
  // Setting up a required second factor asks for it.
  const policy = { access: 'signed-in', withoutFactor: true } as const
  app.get('/confirm-identity', policy, (request, reply) => show(request, reply, queryOf(request).get('next') ?? ''))
  app.post('/confirm-identity', policy, confirmIdentity)
}

async function confirmIdentity(request: FastifyRequest, reply: FastifyReply) {
  const body = bodyOf(request)
  const next = body.get('next') ?? ''
  const right = await verifyCurrentPassword(request, reply, findSelf(request, realUserId(request.actor)), body.get('password') ?? '')
  request.reauthorize()
  if (!right) return show(request, reply.code(422), next, request.t('Wrong current password.'))
  updateSession(request, { proved_at: Date.now() })
  return reply.redirect(safePath(request.server, next, url(request.server, '/')), 303)
}

function show(request: FastifyRequest, reply: FastifyReply, next: string, error?: string) {
  const { email } = findSelf(request, realUserId(request.actor))
  return reply.page(confirmPage, { title: request.t('Confirm your identity'), next, email, error })
}
