import type { FastifyReply, FastifyRequest } from 'fastify'
import { logSecurityEvent } from '../../database/security-log.ts'
import { verifyPassword } from '../../web/access/password-hashing.ts'
import { SignInRequired } from '../../web/access/policy-hook.ts'
import { networkOf, recordHit, secondsToWait } from '../../web/access/rate-limit.ts'
import { endSession } from '../../web/access/session.ts'
import { HttpError, realAuthorOf } from '../../web/http.ts'
import type { User } from '../users/accounts.ts'
import { clearAttempts, countAttempt } from './sign-in-attempts.ts'

/** A stolen session must not allow guessing the password. */
const failuresPerSession = { limit: 10, window: 7 * 24 * 3600_000 }

export async function verifyCurrentPassword(request: FastifyRequest, reply: FastifyReply, user: User, typed: string): Promise<boolean> {
  const { db } = request.server
  const network = networkOf(request.ip)
  const wait = countAttempt(db, user.email, network)
  if (wait) {
    reply.header('Retry-After', String(wait))
    throw new HttpError(429, 'Too many attempts. Try again later.')
  }
  const right = await verifyPassword(user.password, typed)
  if (right) clearAttempts(db, user.email, network)
  else countFailure(request)
  return right
}

function countFailure(request: FastifyRequest): void {
  const { db } = request.server
  const key = `password of session ${request.sessionId}`
  recordHit(db, key)
  logSecurityEvent(db, { event: 'refused', author: realAuthorOf(request) })
  if (secondsToWait(db, key, failuresPerSession) === undefined) return
  endSession(request)
  throw new SignInRequired()
}
