import { eq } from 'drizzle-orm'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { sessions, users } from '../../database/schema/index.ts'
import { notFound, safePath, url } from '../../web/http.ts'
import { bodyOf, queryOf } from '../../web/request.ts'
import { page } from '../../web/view/page.ts'
import { realUserId } from '../users/access.ts'
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
  const right = await verifyCurrentPassword(request, reply, findSelf(request), body.get('password') ?? '')
  request.reauthorize()
  if (!right) return show(request, reply.code(422), next, request.t('Wrong current password.'))
  const { db } = request.server
  db.update(sessions)
    .set({ proved_at: Date.now() })
    .where(eq(sessions.id, request.sessionId as number))
    .run()
  return reply.redirect(safePath(request.server, next, url(request.server, '/')), 303)
}

function show(request: FastifyRequest, reply: FastifyReply, next: string, error?: string) {
  return reply.page(confirmPage, { title: request.t('Confirm your identity'), next, email: findSelf(request).email, error })
}

function findSelf({ actor, server }: FastifyRequest) {
  const self = server.db
    .select()
    .from(users)
    .where(eq(users.id, realUserId(actor)))
    .get()
  if (!self) throw notFound()
  return self
}
