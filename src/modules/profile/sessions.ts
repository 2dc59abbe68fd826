import type { FastifyInstance, FastifyRequest } from 'fastify'
import { write } from '../../database/open.ts'
import { authorize } from '../../web/access/policy-hook.ts'
import { type CardFrame, cardPart } from '../../web/card/pages.ts'
import type { Tab } from '../../web/card/tabs.ts'
import { flash } from '../../web/flash.ts'
import { bodyOf, url } from '../../web/http.ts'
import { page } from '../../web/view/page.ts'
import { withoutImpersonation } from '../users/access.ts'
import type { User } from '../users/accounts.ts'
import { activeSessions, endSessions } from '../users/sessions.ts'

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
    const others = bodyOf(request).get('others') === '1'
    write(app.db, () => endSessions(request, request.actor, others ? 'others' : 'one'))
    flash(request, others ? 'Other sessions signed out' : 'Session signed out')
    return reply.redirect(url(app, '/profile?tab=sessions'), 303)
  })
}
