import { and, desc, eq, gt, lte, sql } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import type { Actor } from '../../core/access.ts'
import type { Database } from '../../database/open.ts'
import { prepareOnce } from '../../database/prepare-once.ts'
import { changes, uploads } from '../../database/schema/index.ts'
import { unattachedLifetime } from './folder.ts'

/** A record as the change history knows it. */
export interface RecordReference {
  entity: string
  id: number
}

/** A record that names a file: what it calls it, where it has words of its own for it, and who may see it there. */
export interface Attachment {
  record: RecordReference
  name?: string
  mayRead: (actor: Actor) => boolean
}

/** A kind of record that names files; it is asked for every stored file each hour, so the answer must be cheap. */
export interface AttachmentSource {
  find: (db: Database, key: string) => Attachment[]
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Every module whose records name files adds itself: what none of them knows is thrown away after a day. */
    attachmentSources: AttachmentSource[]
  }
}

/** The records that name a file. */
export function attachmentsOf(app: FastifyInstance, key: string): Attachment[] {
  return app.attachmentSources.flatMap((owner) => owner.find(app.db, key))
}

/**
 * What a file was called by whoever saved it in a record: the same content is one file, and what others call it who send it
 * for records of their own is nobody's business here.
 */
export function savedName(db: Database, { entity, id }: RecordReference, key: string): string | undefined {
  return savedUpload(db).get({ entity, id, key })?.name
}

/** What this very person called a file that they sent within the last day. */
export function ownUploadName(db: Database, key: string, userId: number): string | undefined {
  return uploadByUser(db).get({ key, user: userId, since: Date.now() - unattachedLifetime })?.name
}

/** Whether this very person sent the file within the last day: only then may they name it in a record that lacks it. */
export function hasUploaded(db: Database, key: string, userId: number): boolean {
  return ownUploadName(db, key, userId) !== undefined
}

/** Whether anybody ever sent the file. */
export function wasUploaded(db: Database, key: string): boolean {
  return anyUpload(db).get({ key }) !== undefined
}

// From the few changes of the record to the file: the same content may have been sent many times.
const savedUpload = prepareOnce((db) =>
  db
    .select({ name: uploads.name })
    .from(changes)
    .crossJoin(uploads)
    .where(
      and(
        eq(changes.entity, sql.placeholder('entity')),
        eq(changes.record_id, sql.placeholder('id')),
        sql`instr(${changes.fields}, ${sql.placeholder('key')}) > 0`,
        eq(uploads.key, sql.placeholder('key')),
        eq(uploads.user_id, changes.actor_id),
        lte(uploads.at, changes.at),
      ),
    )
    .orderBy(desc(changes.record_version), desc(uploads.id))
    .limit(1)
    .prepare(),
)

const anyUpload = prepareOnce((db) =>
  db
    .select({ id: uploads.id })
    .from(uploads)
    .where(eq(uploads.key, sql.placeholder('key')))
    .limit(1)
    .prepare(),
)

const uploadByUser = prepareOnce((db) =>
  db
    .select({ name: uploads.name })
    .from(uploads)
    .where(
      and(eq(uploads.key, sql.placeholder('key')), eq(uploads.user_id, sql.placeholder('user')), gt(uploads.at, sql.placeholder('since'))),
    )
    .orderBy(desc(uploads.id))
    .limit(1)
    .prepare(),
)
