import { eq } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import { users } from '../../database/schema/index.ts'
import { logRepeatedEvent, logSecurityEvent } from '../../database/security-log.ts'
import { clientOf } from '../../web/http.ts'
import { userLabel } from '../users/accounts.ts'

/** Call it inside the transaction that opens the session. */
export function logSignIn(request: FastifyRequest, userId: number): void {
  const { db } = request.server
  const user = db.select().from(users).where(eq(users.id, userId)).get()
  if (user) logSecurityEvent(db, { event: 'signed-in', author: { id: user.id, name: userLabel(user), ...clientOf(request) } })
}

/** Unknown addresses are not stored: they may be a password typed into the wrong field. */
export function logSignInFailure(request: FastifyRequest, event: 'refused' | 'locked-out', email: string): void {
  const { db } = request.server
  const account = db.select().from(users).where(eq(users.email, email)).limit(1).get()
  const entry = {
    event,
    author: { id: null, name: '', ...clientOf(request) },
    ...(account && { user: { id: account.id, name: userLabel(account) } }),
  }
  if (event === 'refused') logSecurityEvent(db, entry)
  else logRepeatedEvent(db, entry)
}
