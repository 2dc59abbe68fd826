import { and, count, eq } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import { type Author, type Database, logSecurityEvent, passkeys } from '../../../database/index.ts'
import { ValidationFailed } from '../../../http/request/errors.ts'
import { queueAccountNotice } from '../../notifications/queue.ts'
import type { User } from '../../users/user.ts'

export type Passkey = typeof passkeys.$inferSelect

export type NewPasskey = Pick<Passkey, 'name' | 'credential_id' | 'public_key' | 'counter' | 'transports' | 'user_handle'>

const passkeysPerUser = 20

export function passkeysOf(db: Database, userId: number): Passkey[] {
  return db.select().from(passkeys).where(eq(passkeys.user_id, userId)).orderBy(passkeys.id).all()
}

/** Adds a verified passkey. Call it inside `write`. */
export function addPasskey(app: FastifyInstance, user: User, passkey: NewPasskey, author: Author): void {
  const { db } = app
  const known = db.select({ id: passkeys.id }).from(passkeys).where(eq(passkeys.credential_id, passkey.credential_id)).get()
  if (known) throw new ValidationFailed({ name: 'This passkey has already been added.' })
  const { held = 0 } = db.select({ held: count() }).from(passkeys).where(eq(passkeys.user_id, user.id)).get() ?? {}
  if (held >= passkeysPerUser) throw new ValidationFailed({ name: 'You have too many passkeys. Remove one first.' })
  db.insert(passkeys)
    .values({ ...passkey, user_id: user.id, created_at: Date.now() })
    .run()
  announce(app, user, 'passkey-added', passkey.name, author)
}

/** Removes one passkey, or all of them. Call it inside `write`. */
export function removePasskeys(app: FastifyInstance, user: User, author: Author, id?: number): void {
  for (const { name } of deletePasskeys(app.db, user.id, id)) announce(app, user, 'passkey-removed', name, author)
}

export function deletePasskeys(db: Database, userId: number, id?: number): Passkey[] {
  const chosen = and(eq(passkeys.user_id, userId), id === undefined ? undefined : eq(passkeys.id, id))
  return db.delete(passkeys).where(chosen).returning().all()
}

function announce(app: FastifyInstance, user: User, event: 'passkey-added' | 'passkey-removed', name: string, author: Author): void {
  logSecurityEvent(app.db, { event, author, user, detail: name })
  queueAccountNotice(app, user, event, author)
}
