import { eq } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import { type Author, type Database, logSecurityEvent, recoveryCodes, secondFactors } from '../../../database/index.ts'
import { queueAccountNotice } from '../../notifications/queue.ts'
import type { User } from '../../users/user.ts'
import { replaceCodes } from './recovery-codes.ts'

export function enableFactor(app: FastifyInstance, user: User, secret: string, step: number, author: Author): string[] {
  app.db.insert(secondFactors).values({ user_id: user.id, secret, last_step: step, created_at: Date.now() }).run()
  announce(app, user, 'on', author)
  return replaceCodes(app.db, user.id)
}

export function regenerateCodes(app: FastifyInstance, user: User, author: Author): string[] {
  announce(app, user, 'new recovery codes', author)
  return replaceCodes(app.db, user.id)
}

export function removeFactor(app: FastifyInstance, user: User, author: Author): void {
  if (!deleteFactor(app.db, user.id)) return
  announce(app, user, 'off', author)
}

export function deleteFactor(db: Database, userId: number): boolean {
  db.delete(recoveryCodes).where(eq(recoveryCodes.user_id, userId)).run()
  return db.delete(secondFactors).where(eq(secondFactors.user_id, userId)).run().changes > 0
}

function announce(app: FastifyInstance, user: User, detail: string, author: Author): void {
  logSecurityEvent(app.db, { event: 'factor-changed', author, user, detail })
  queueAccountNotice(app, user, 'factor-changed', author)
}
