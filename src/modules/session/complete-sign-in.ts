import { eq } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import { newToken } from '../../core/tokens.ts'
import { logSecurityEvent, users } from '../../database/index.ts'
import { openSession } from '../../http/access/session.ts'
import { clientOf } from '../../http/request/input.ts'
import { userLabel } from '../users/user.ts'

const usersPerBrowser = 20

/**
 * Call it inside `write`.
 * @param means by which somebody signs in, if not by a password, for the security log
 */
export function completeSignIn(request: FastifyRequest, userId: number, means?: string): void {
  const { db } = request.server
  const user = db.update(users).set({ last_auth: Date.now() }).where(eq(users.id, userId)).returning().get()
  openSession(request, userId)
  rememberBrowser(request, userId)
  request.session.set('factor', undefined)
  logSecurityEvent(db, { event: 'signed-in', author: { id: userId, name: userLabel(user), ...clientOf(request) }, detail: means })
}

function rememberBrowser({ knownBrowser }: FastifyRequest, userId: number): void {
  const others = (knownBrowser.get('users') ?? []).filter((id) => id !== userId)
  knownBrowser.set('token', knownBrowser.get('token') ?? newToken())
  knownBrowser.set('users', [userId, ...others].slice(0, usersPerBrowser))
}
