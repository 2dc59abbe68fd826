import type { FastifyReply, FastifyRequest } from 'fastify'
import { url } from '../request/addresses.ts'
import { HttpError } from '../request/errors.ts'

export class SignInRequired extends HttpError {
  constructor() {
    super(401, 'Sign in')
  }
}

export function redirectToLogin(request: FastifyRequest, reply: FastifyReply, pendingId?: number): FastifyReply {
  const reads = request.method === 'GET' || request.method === 'HEAD'
  const next = pendingId ? url(request.server, `/resume/${pendingId}`) : reads && !request.headers['hx-request'] && request.url
  const target = url(request.server, next ? `/login?next=${encodeURIComponent(next)}` : '/login')
  return redirectTo(request, reply, target)
}

export function redirectTo(request: FastifyRequest, reply: FastifyReply, target: string): FastifyReply {
  if (request.headers['hx-request']) return reply.code(401).header('HX-Redirect', target).send()
  return reply.redirect(target, 303)
}
