import { and, eq } from 'drizzle-orm'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { hashToken } from '../../../core/tokens.ts'
import { type Database, logRepeatedEvent, logSecurityEvent, recoveryCodes, secondFactors, users, write } from '../../../database/index.ts'
import { limited, recordHit, secondsToWait, tooManyAttempts } from '../../../http/access/rate-limit.ts'
import { hasPasskey, hasSecondFactor } from '../../../http/access/second-factor.ts'
import { safePath, url } from '../../../http/request/addresses.ts'
import type { Problem } from '../../../http/request/errors.ts'
import { bodyOf, clientOf } from '../../../http/request/input.ts'
import { template } from '../../../http/request/template.ts'
import { type User, userLabel } from '../../users/user.ts'
import { completeSignIn } from '../complete-sign-in.ts'
import { findRelyingParty, type RelyingParty } from '../passkeys/relying-party.ts'
import { hashCode } from './recovery-codes.ts'
import { matchTimeStep } from './time-codes.ts'

interface PendingFactor {
  userId: number
  /** Of the hash that the password opened: another password ends the wait. */
  passwordDigest: string
  at: number
  next: string
}

declare module '@fastify/secure-session' {
  interface SessionData {
    factor: PendingFactor | undefined
  }
}

const signInTimeout = 10 * 60_000
const failureLimit = { limit: 10, window: 15 * 60_000 }

interface FactorState {
  title: string
  asksCode: boolean
  /** Where the person has a passkey that can be used here. */
  party: RelyingParty | undefined
  next: string
  error?: string
  /** The error is in what was typed. */
  wrong: boolean
}

const factorPage = template<FactorState>('session/factor.njk')

export function factorSignInRoutes(app: FastifyInstance): void {
  app.get('/login/factor', { access: 'public' }, (request, reply) => {
    const awaited = findPendingFactor(request)
    return awaited ? showFactor(request, reply, awaited) : reply.redirect(url(app, '/login'), 303)
  })
  app.post('/login/factor', { access: 'public' }, checkFactor)
}

interface AwaitedFactor {
  user: User
  next: string
}

export function findPendingFactor({ server, session }: FastifyRequest): AwaitedFactor | undefined {
  const awaited = session.get('factor')
  if (!awaited || awaited.at < Date.now() - signInTimeout) return undefined
  const active = and(eq(users.id, awaited.userId), eq(users.active, true))
  const user = server.db.select().from(users).where(active).get()
  return user && hashToken(user.password) === awaited.passwordDigest ? { user, next: awaited.next } : undefined
}

function checkFactor(request: FastifyRequest, reply: FastifyReply) {
  const { db } = request.server
  const awaited = findPendingFactor(request)
  if (!awaited) return reply.redirect(url(request.server, '/login'), 303)
  const { user, next } = awaited
  const wait = write(db, () => trySignIn(request, user))
  if (wait === 'done') return reply.redirect(safePath(request.server, next, url(request.server, '/')), 303)
  if (wait === 'wrong') return showFactor(request, reply.code(422), awaited, { message: 'Wrong code. Enter the code your app shows now.' })
  const limit = tooManyAttempts(wait)
  return showFactor(request, limited(reply, limit), awaited, limit)
}

function trySignIn(request: FastifyRequest, user: User): 'done' | 'wrong' | number {
  const { db } = request.server
  const key = `code of ${user.id}`
  const stranger = { id: null, name: '', ...clientOf(request) }
  const wait = secondsToWait(db, key, failureLimit)
  if (wait !== undefined) {
    logRepeatedEvent(db, { event: 'locked-out', author: stranger, user, detail: 'code' })
    return wait
  }
  const used = consumeCode(db, user.id, bodyOf(request).get('code') ?? '')
  if (!used) {
    recordHit(db, key)
    logSecurityEvent(db, { event: 'refused', author: stranger, user, detail: 'code' })
    return 'wrong'
  }
  completeSignIn(request, user.id)
  logSecurityEvent(db, { event: 'factor-used', author: { id: user.id, name: userLabel(user), ...clientOf(request) }, detail: used })
  return 'done'
}

function showFactor(request: FastifyRequest, reply: FastifyReply, { user, next }: AwaitedFactor, error?: Problem) {
  const { db } = request.server
  return reply.page(factorPage, {
    title: request.t('Two-step verification'),
    asksCode: hasSecondFactor(db)(user.id),
    party: hasPasskey(db)(user.id) ? findRelyingParty(request) : undefined,
    next,
    error: error && request.t(error),
    wrong: error !== undefined && !error.wait,
  })
}

function consumeCode(db: Database, userId: number, code: string): 'app' | 'recovery' | undefined {
  const factor = db.select().from(secondFactors).where(eq(secondFactors.user_id, userId)).get()
  const step = factor && matchTimeStep(factor.secret, code)
  if (factor && step !== undefined && step > factor.last_step) {
    db.update(secondFactors).set({ last_step: step }).where(eq(secondFactors.user_id, userId)).run()
    return 'app'
  }
  const recovery = and(eq(recoveryCodes.user_id, userId), eq(recoveryCodes.code_hash, hashCode(code)))
  return factor && db.delete(recoveryCodes).where(recovery).run().changes > 0 ? 'recovery' : undefined
}
