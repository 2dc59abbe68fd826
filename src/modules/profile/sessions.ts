import { and, eq, ne } from 'drizzle-orm'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { write } from '../../database/open.ts'
import { sessions } from '../../database/schema/index.ts'
import { logSecurityEvent } from '../../database/security-log.ts'
import { authorize, parseId } from '../../web/access/policy-hook.ts'
import { type CardFrame, cardPart } from '../../web/card/pages.ts'
import type { Tab } from '../../web/card/tabs.ts'
import { flash } from '../../web/flash.ts'
import { authorOf, HttpError, notFound, url } from '../../web/http.ts'
import { bodyOf } from '../../web/request.ts'
import { page } from '../../web/view/page.ts'
import { withoutImpersonation } from '../users/access.ts'
import type { User } from '../users/accounts.ts'
import { activeSessions } from '../users/sessions.ts'

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
  app.post('/profile/sessions/end', { access: 'signed-in' }, endSessions)
}

function endSessions(request: FastifyRequest, reply: FastifyReply) {
  const { actor, server } = request
  authorize(withoutImpersonation, actor, actor)
  const body = bodyOf(request)
  const others = body.get('others') === '1'
  const id = parseId(body.get('id'))
  if (!others && id === undefined) throw new HttpError(422, 'Nothing selected.')
  const which = others ? ne(sessions.id, request.sessionId as number) : eq(sessions.id, id as number)
  write(server.db, () => {
    const { changes } = server.db
      .delete(sessions)
      .where(and(eq(sessions.user_id, actor.id), which))
      .run()
    if (!others && changes === 0) throw notFound()
    logSecurityEvent(server.db, { event: 'sessions-ended', author: authorOf(request), detail: String(changes) })
  })
  flash(request, others ? 'Other sessions signed out' : 'Session signed out')
  return reply.redirect(url(server, '/profile?tab=sessions'), 303)
}
