import { count, eq } from 'drizzle-orm'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Secret } from 'otpauth'
import { type Database, recoveryCodes, sessions } from '../../database/index.ts'
import { qrCode } from '../../documents/qr-code.ts'
import { authorize } from '../../http/access/authorize.ts'
import { requireRecentPassword } from '../../http/access/recent-password.ts'
import { hasSecondFactor, lacksRequiredFactor } from '../../http/access/second-factor.ts'
import { updateSession } from '../../http/access/session.ts'
import { action, type Done } from '../../http/action.ts'
import { url } from '../../http/request/addresses.ts'
import type { Context } from '../../http/request/context.ts'
import { HttpError } from '../../http/request/errors.ts'
import { bodyOf, parseId } from '../../http/request/input.ts'
import { organizationName } from '../../http/request/organization.ts'
import { template } from '../../http/request/template.ts'
import type { FormView } from '../../records/form/view.ts'
import { type CardFrame, cardPart, type Tab } from '../../records/kind/card.ts'
import { enableFactor, regenerateCodes, removeFactor } from '../session/second-factor/factor.ts'
import { matchTimeStep, totp } from '../session/second-factor/time-codes.ts'
import { withoutImpersonation } from '../users/access.ts'
import { activeSessions, endSessions } from '../users/sessions.ts'
import { findSelf, type User } from '../users/user.ts'
import { type OwnTokens, viewOfTokens } from './api-tokens.ts'
import { viewOfPasskeys } from './passkeys.ts'

interface SecurityTab extends ReturnType<typeof viewOfPasskeys>, OwnTokens {
  setup?: { secret: string; qr: string }
  left: number
  required: boolean
  error?: string
  codes?: string[]
  /** To change the password. */
  passwordForm?: FormView
}

const securityPage = template<CardFrame & SecurityTab>('profile/security.njk')

export const securityTab: Tab<User> = {
  name: 'security',
  label: 'Security',
  rule: withoutImpersonation,
  ...cardPart(securityPage, viewOfSecurity),
}

type ShowTab = (request: FastifyRequest, reply: FastifyReply, tab: string, more: Partial<SecurityTab>) => FastifyReply

export function ownFactorRoutes(app: FastifyInstance, showTab: ShowTab): void {
  app.post('/profile/factor', action({ access: 'signed-in', withoutFactor: true }, confirmFactor))
  app.post('/profile/factor/codes', action({ access: 'signed-in' }, makeCodes))
  app.post('/profile/factor/remove', action({ access: 'signed-in' }, turnOff))

  function confirmFactor(request: FastifyRequest): Done {
    const self = requireSelf(request)
    if (hasSecondFactor(app.db)(self.id)) throw new HttpError(409, 'Two-step verification is already on.')
    const secret = offeredSecret(request)
    const step = matchTimeStep(secret, bodyOf(request).get('code') ?? '')
    if (step === undefined) return show(request, { error: request.t('Wrong code. Enter the code your app shows now.') }, 422)
    updateSession(request, { factor_secret: null })
    return show(request, { codes: enableFactor(app, self, secret, step, request.author) })
  }

  function makeCodes(request: FastifyRequest): Done {
    const self = requireSelf(request)
    if (!hasSecondFactor(app.db)(self.id)) throw new HttpError(409, 'Two-step verification is off.')
    return show(request, { codes: regenerateCodes(app, self, request.author) })
  }

  function show(request: FastifyRequest, more: Partial<SecurityTab>, status = 200): Done {
    return { location: url(app, tabPath), page: (reply) => showTab(request, reply.code(status), 'security', more) }
  }

  function turnOff(context: Context): Done {
    removeFactor(app, requireSelf(context), context.author)
    return { location: url(app, tabPath), message: ['Two-step verification is off.'] }
  }
}

const tabPath = '/profile?tab=security'

/** @throws HttpError while impersonating, or when the password was given too long ago */
function requireSelf(context: Context): User {
  authorize(withoutImpersonation, context.actor, context.actor)
  requireRecentPassword(context)
  return findSelf(context)
}

function viewOfSecurity(request: FastifyRequest, self: User): SecurityTab {
  const { db } = request.server
  const common = { ...viewOfPasskeys(request, self), ...viewOfTokens(request, self), required: lacksRequiredFactor(request) }
  if (hasSecondFactor(db)(self.id)) return { ...common, left: codesLeft(db, self.id) }
  const secret = offeredSecret(request)
  return { ...common, setup: { secret, qr: qrImage(secret, self.email, organizationName(request.server, request.t)) }, left: 0 }
}

function offeredSecret(request: FastifyRequest): string {
  const { server, signIn } = request
  const own = eq(sessions.id, signIn.sessionId as number)
  const offered = server.db.select({ secret: sessions.factor_secret }).from(sessions).where(own).get()
  if (offered?.secret) return offered.secret
  const secret = newSecret()
  updateSession(request, { factor_secret: secret })
  return secret
}

const sessionsPage = template<CardFrame & { sessions: ReturnType<typeof activeSessions> }>('profile/sessions.njk')

export const sessionsTab: Tab<User> = {
  name: 'sessions',
  label: 'Sessions',
  rule: withoutImpersonation,
  ...cardPart(sessionsPage, (request: FastifyRequest) => ({
    sessions: activeSessions(request.server.db, request.actor.id, request.signIn.sessionId),
  })),
}

export function ownSessionRoutes(app: FastifyInstance): void {
  app.post('/profile/sessions/end', action({ access: 'signed-in' }, endOwnSessions))
}

function endOwnSessions(request: FastifyRequest): Done {
  const { actor, server, signIn } = request
  authorize(withoutImpersonation, actor, actor)
  const body = bodyOf(request)
  const others = body.get('others') === '1'
  endSessions(request, actor, others ? { except: signIn.sessionId as number } : parseId(body.get('id')))
  return { location: url(server, '/profile?tab=sessions'), message: [others ? 'Other sessions signed out' : 'Session signed out'] }
}

function qrImage(secret: string, label: string, issuer: string): string {
  const drawing = qrCode(totp(secret, { issuer, label }).toString())
  return `data:image/svg+xml;base64,${Buffer.from(drawing).toString('base64')}`
}

function codesLeft(db: Database, userId: number): number {
  return db.select({ left: count() }).from(recoveryCodes).where(eq(recoveryCodes.user_id, userId)).get()?.left ?? 0
}

const newSecret = () => new Secret({ size: 20 }).base32
