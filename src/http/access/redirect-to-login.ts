import type { FastifyReply, FastifyRequest } from 'fastify'
import { openPage, safePath, url } from '../request/addresses.ts'
import { HttpError } from '../request/errors.ts'

export class SignInRequired extends HttpError {
  constructor() {
    super(401, 'Sign in')
  }
}

/** After signing in one goes on with the form that was kept, or else comes back to the page that is open. */
export function redirectToLogin(request: FastifyRequest, reply: FastifyReply, pendingId?: number): FastifyReply {
  const { server, method, headers, signIn } = request
  // Scripts hold back a form that would not be kept.
  reply.header('X-Session', signIn.expiredPerson ? 'expired' : 'ended')
  const isPage = (method === 'GET' || method === 'HEAD') && !headers['hx-request']
  const open = isPage ? undefined : safePath(server, openPage(request), '')
  const next = pendingId ? url(server, `/resume/${pendingId}`) : isPage ? request.url : open
  const query = new URLSearchParams({ ...(next && { next }), ...(open && { ended: '1' }) })
  return redirectTo(request, reply, url(server, query.size > 0 ? `/login?${query}` : '/login'))
}

export function redirectTo(request: FastifyRequest, reply: FastifyReply, target: string): FastifyReply {
  if (request.headers['hx-request']) return reply.code(401).header('HX-Redirect', target).send()
  return reply.redirect(target, 303)
}
