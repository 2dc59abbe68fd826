import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { logSecurityEvent } from '../../database/security-log.ts'
import { inOwnTurn, verifyPassword } from '../../http/access/password-hashing.ts'
import { reauthorize } from '../../http/access/policy-hook.ts'
import { LimitReached, limited, networkOf, recordHit, secondsToWait, tooManyAttempts } from '../../http/access/rate-limit.ts'
import { SignInRequired } from '../../http/access/redirect-to-login.ts'
import { hasPasskey } from '../../http/access/second-factor.ts'
import { endSession, updateSession } from '../../http/access/session.ts'
import { safePath, url } from '../../http/request/addresses.ts'
import type { Problem } from '../../http/request/errors.ts'
import { bodyOf, queryOf } from '../../http/request/input.ts'
import { realAuthorOf } from '../../http/request/person.ts'
import { template } from '../../http/request/template.ts'
import { realUserId } from '../users/access.ts'
import { findSelf, noPassword, type User } from '../users/user.ts'
import { findRelyingParty, type RelyingParty } from './passkeys/relying-party.ts'
import { clearAttempts, countAttempt } from './sign-in-attempts.ts'

/** A stolen session must not allow guessing the password. */
const failuresPerSession = { limit: 10, window: 7 * 24 * 3600_000 }

/** @throws LimitReached after too many wrong ones, SignInRequired when they end the session */
export async function verifyCurrentPassword(request: FastifyRequest, user: User, typed: string): Promise<boolean> {
  const { db } = request.server
  const network = networkOf(request.ip)
  const wait = countAttempt(db, user.email, network)
  if (wait) throw tooManyAttempts(wait)
  const right = await inOwnTurn(request, () => verifyPassword(user.password, typed))
  if (right) clearAttempts(db, user.email, network)
  else countFailure(request)
  return right
}

function countFailure(request: FastifyRequest): void {
  const { db } = request.server
  const key = `password of session ${request.signIn.sessionId}`
  recordHit(db, key)
  logSecurityEvent(db, { event: 'refused', author: realAuthorOf(request.author) })
  if (secondsToWait(db, key, failuresPerSession) === undefined) return
  endSession(request)
  throw new SignInRequired()
}

interface Confirmation {
  title: string
  next: string
  email: string
  asksPassword: boolean
  party: RelyingParty | undefined
  error?: string
  /** The error is in what was typed. */
  wrong: boolean
}

const confirmPage = template<Confirmation>('session/confirm.njk')

export function confirmIdentityRoutes(app: FastifyInstance): void {
  // Setting up a required second factor asks for it.
  const policy = { access: 'signed-in', withoutFactor: true } as const
  app.get('/confirm-identity', policy, (request, reply) => show(request, reply, queryOf(request).get('next') ?? ''))
  app.post('/confirm-identity', policy, confirmIdentity)
}

async function confirmIdentity(request: FastifyRequest, reply: FastifyReply) {
  const body = bodyOf(request)
  const next = body.get('next') ?? ''
  try {
    const right = await verifyCurrentPassword(request, findSelf(request, realUserId(request.actor)), body.get('password') ?? '')
    reauthorize(request)
    if (!right) return show(request, reply.code(422), next, { message: 'Wrong current password.' })
  } catch (error) {
    if (!(error instanceof LimitReached)) throw error
    return show(request, limited(reply, error), next, error)
  }
  updateSession(request, { proved_at: Date.now() })
  return reply.redirect(safePath(request.server, next, url(request.server, '/')), 303)
}

function show(request: FastifyRequest, reply: FastifyReply, next: string, error?: Problem) {
  const { actor, server, t } = request
  const { id, email, password } = findSelf(request, realUserId(actor))
  const party = !actor.impersonator && hasPasskey(server.db)(id) ? findRelyingParty(request) : undefined
  return reply.page(confirmPage, {
    title: t('Confirm your identity'),
    next,
    email,
    asksPassword: password !== noPassword,
    party,
    error: error && t(error),
    wrong: error !== undefined && !error.wait,
  })
}
