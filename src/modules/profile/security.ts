import { eq } from 'drizzle-orm'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { sessions, write } from '../../database/index.ts'
import { authorize, requireRecentPassword } from '../../web/access/policy-hook.ts'
import { hasSecondFactor, lacksRequiredFactor } from '../../web/access/second-factor.ts'
import { updateSession } from '../../web/access/session.ts'
import type { Acting } from '../../web/acting.ts'
import { type CardFrame, cardPart, type Tab } from '../../web/card/card.ts'
import { bodyOf, flash, HttpError, organizationName, page, parseId, url } from '../../web/http.ts'
import { enableFactor, regenerateCodes, removeFactor } from '../session/second-factor/factor.ts'
import { qrImage } from '../session/second-factor/qr-image.ts'
import { codesLeft } from '../session/second-factor/recovery-codes.ts'
import { matchTimeStep, newSecret } from '../session/second-factor/time-codes.ts'
import { withoutImpersonation } from '../users/access.ts'
import { activeSessions, endSessions } from '../users/sessions.ts'
import { findSelf, type User } from '../users/user.ts'
import { type OwnTokens, presentTokens } from './api-tokens.ts'
import { presentPasskeys } from './passkeys.ts'

interface SecurityTab extends ReturnType<typeof presentPasskeys>, OwnTokens {
  setup?: { secret: string; qr: string }
  left: number
  required: boolean
  error?: string
  codes?: string[]
}

const securityPage = page<CardFrame & SecurityTab>('profile/security.njk')

export const securityTab: Tab<User> = {
  name: 'security',
  label: 'Security',
  rule: withoutImpersonation,
  ...cardPart(securityPage, presentSecurity),
}

type ShowTab = (request: FastifyRequest, reply: FastifyReply, tab: string, more: Partial<SecurityTab>) => FastifyReply

export function ownFactorRoutes(app: FastifyInstance, showTab: ShowTab): void {
  app.post('/profile/factor', { access: 'signed-in', withoutFactor: true }, confirmFactor)
  app.post('/profile/factor/codes', { access: 'signed-in' }, makeCodes)
  app.post('/profile/factor/remove', { access: 'signed-in' }, turnOff)

  function confirmFactor(request: FastifyRequest, reply: FastifyReply) {
    const codes = change(request, (self) => {
      if (hasSecondFactor(app.db)(self.id)) throw new HttpError(409, 'Two-step verification is already on.')
      const secret = offeredSecret(request)
      const step = matchTimeStep(secret, bodyOf(request).get('code') ?? '')
      if (step === undefined) return undefined
      updateSession(request, { factor_secret: null })
      return enableFactor(app, self, secret, step, request.author)
    })
    if (codes) return showTab(request, reply, 'security', { codes })
    return showTab(request, reply.code(422), 'security', { error: request.t('Wrong code. Enter the code your app shows now.') })
  }

  function makeCodes(request: FastifyRequest, reply: FastifyReply) {
    const codes = change(request, (self) => {
      if (!hasSecondFactor(app.db)(self.id)) throw new HttpError(409, 'Two-step verification is off.')
      return regenerateCodes(app, self, request.author)
    })
    return showTab(request, reply, 'security', { codes })
  }

  function turnOff(request: FastifyRequest, reply: FastifyReply) {
    change(request, (self) => removeFactor(app, self, request.author))
    flash(request, 'Two-step verification is off.')
    return reply.redirect(url(app, '/profile?tab=security'), 303)
  }
}

function change<T>(acting: Acting, work: (self: User) => T): T {
  authorize(withoutImpersonation, acting.actor, acting.actor)
  requireRecentPassword(acting)
  return write(acting.server.db, () => work(findSelf(acting)))
}

function presentSecurity(request: FastifyRequest, self: User): SecurityTab {
  const { db } = request.server
  const common = { ...presentPasskeys(request, self), ...presentTokens(request, self), required: lacksRequiredFactor(request) }
  if (hasSecondFactor(db)(self.id)) return { ...common, left: codesLeft(db, self.id) }
  const secret = offeredSecret(request)
  return { ...common, setup: { secret, qr: qrImage(secret, self.email, organizationName(request.server, request.t)) }, left: 0 }
}

function offeredSecret(request: FastifyRequest): string {
  const { server, sessionId } = request
  const own = eq(sessions.id, sessionId as number)
  const offered = server.db.select({ secret: sessions.factor_secret }).from(sessions).where(own).get()
  if (offered?.secret) return offered.secret
  const secret = newSecret()
  updateSession(request, { factor_secret: secret })
  return secret
}

const sessionsPage = page<CardFrame & { sessions: ReturnType<typeof activeSessions> }>('profile/sessions.njk')

export const sessionsTab: Tab<User> = {
  name: 'sessions',
  label: 'Sessions',
  rule: withoutImpersonation,
  ...cardPart(sessionsPage, (request: FastifyRequest) => ({
    sessions: activeSessions(request.server.db, request.actor.id, request.sessionId),
  })),
}

export function ownSessionRoutes(app: FastifyInstance): void {
  app.post('/profile/sessions/end', { access: 'signed-in' }, (request, reply) => {
    authorize(withoutImpersonation, request.actor, request.actor)
    const body = bodyOf(request)
    const others = body.get('others') === '1'
    const chosen = others ? { except: request.sessionId as number } : parseId(body.get('id'))
    write(app.db, () => endSessions(request, request.actor, chosen))
    flash(request, others ? 'Other sessions signed out' : 'Session signed out')
    return reply.redirect(url(app, '/profile?tab=sessions'), 303)
  })
}
