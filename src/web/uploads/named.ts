import { and, desc, eq, gt, sql } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import type { Actor } from '../../core/access.ts'
import type { Database } from '../../database/open.ts'
import { prepared } from '../../database/prepared.ts'
import { uploads } from '../../database/schema/index.ts'
import { waitLimit } from './folder.ts'

/** A record that names a file: what it calls it and who may see it there. */
export interface Naming {
  name: string
  mayRead: (actor: Actor) => boolean
}

/** A kind of record that names files; it is asked for every stored file each hour, so the answer must be cheap. */
export interface FileOwner {
  find: (db: Database, key: string) => Naming[]
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Every module whose records name files adds itself: what none of them knows is thrown away after a day. */
    fileOwners: FileOwner[]
  }
}

/** The records that name a file. */
export function namingsOf(app: FastifyInstance, key: string): Naming[] {
  return app.fileOwners.flatMap((owner) => owner.find(app.db, key))
}

/** What a file was called when it was last sent. */
export function sentName(db: Database, key: string): string | undefined {
  return lastSent(db).get({ key })?.name
}

/** Whether this very person sent the file within the last day: only then may they name it in a record that lacks it. */
export function hasUploaded(db: Database, key: string, userId: number): boolean {
  return sentBy(db).get({ key, user: userId, since: Date.now() - waitLimit }) !== undefined
}

const lastSent = prepared((db) =>
  db
    .select({ name: uploads.name })
    .from(uploads)
    .where(eq(uploads.key, sql.placeholder('key')))
    .orderBy(desc(uploads.id))
    .limit(1)
    .prepare(),
)

const sentBy = prepared((db) =>
  db
    .select({ id: uploads.id })
    .from(uploads)
    .where(
      and(eq(uploads.key, sql.placeholder('key')), eq(uploads.user_id, sql.placeholder('user')), gt(uploads.at, sql.placeholder('since'))),
    )
    .limit(1)
    .prepare(),
)
