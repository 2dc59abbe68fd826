import { eq } from 'drizzle-orm'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { users } from '../../database/schema/index.ts'
import { bodyOf } from '../../web/form/body.ts'
import { cameFrom, HttpError, safePath, url } from '../../web/http.ts'
import { endSession } from '../../web/session.ts'
import { realId } from '../people/access.ts'
import { showSignIn, signIn } from './sign-in.ts'

export async function sessionRoutes(app: FastifyInstance): Promise<void> {
  app.get('/login', { access: 'public' }, showSignIn)
  app.post('/login', { access: 'public' }, signIn)
  app.post('/logout', { access: 'public' }, signOut)
  app.post('/preferences', { access: 'signed-in' }, savePreferences)
}

function signOut(request: FastifyRequest, reply: FastifyReply) {
  endSession(request)
  return reply.redirect(url(request.server, '/login'), 303)
}

/** Language and theme of the person who really sits there. */
function savePreferences(request: FastifyRequest, reply: FastifyReply) {
  const body = bodyOf(request)
  const language = oneOf(body.get('language'), ['en', 'ru'] as const)
  const theme = oneOf(body.get('theme'), ['light', 'dark'] as const)
  if (!language && !theme) throw new HttpError(422, 'There is no such choice.')
  request.server.db
    .update(users)
    .set({ ...(language && { language }), ...(theme && { theme }) })
    .where(eq(users.id, realId(request.actor)))
    .run()
  return reply.redirect(safePath(request.server, cameFrom(request), url(request.server, '/')), 303)
}

function oneOf<T extends string>(text: string | null, accepted: readonly T[]): T | undefined {
  return accepted.find((value) => value === text)
}
