import { eq } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import { users } from '../../database/schema/index.ts'
import { openSession } from '../../web/access/session.ts'
import { newToken } from '../../web/access/tokens.ts'
import { logSignIn } from './sign-in-log.ts'

const usersPerBrowser = 20

export function completeSignIn(request: FastifyRequest, userId: number): void {
  request.server.db.update(users).set({ last_auth: Date.now() }).where(eq(users.id, userId)).run()
  openSession(request, userId)
  rememberBrowser(request, userId)
  logSignIn(request, userId)
}

function rememberBrowser({ knownBrowser }: FastifyRequest, userId: number): void {
  const others = (knownBrowser.get('users') ?? []).filter((id) => id !== userId)
  knownBrowser.set('token', knownBrowser.get('token') ?? newToken())
  knownBrowser.set('users', [userId, ...others].slice(0, usersPerBrowser))
}
