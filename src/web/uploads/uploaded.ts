import { and, desc, eq, gt, lte, sql } from 'drizzle-orm'
import { changes, type Database, prepareOnce, uploads } from '../../database/index.ts'
import { unattachedLifetime } from './folder.ts'

/**
 * The name under which the author of a record saved a file. Identical content is stored once, so names that others gave it must not
 * leak.
 */
export function savedName(db: Database, { entity, id }: { entity: string; id: number }, key: string): string | undefined {
  return savedUpload(db).get({ entity, id, key })?.name
}

export function ownUpload(db: Database, key: string, userId: number): { name: string; size: number } | undefined {
  return uploadByUser(db).get({ key, user: userId, since: Date.now() - unattachedLifetime })
}

/** The name that somebody gave a file, however long ago. */
export function uploadedName(db: Database, key: string, userId: number): string | undefined {
  return uploadByUser(db).get({ key, user: userId, since: 0 })?.name
}

export function hasUploaded(db: Database, key: string, userId: number): boolean {
  return ownUpload(db, key, userId) !== undefined
}

export function wasUploaded(db: Database, key: string): boolean {
  return anyUpload(db).get({ key }) !== undefined
}

// Starts from the few changes of the record, as the same content may have been uploaded many times.
const savedUpload = prepareOnce((db, given) =>
  db
    .select({ name: uploads.name })
    .from(changes)
    .crossJoin(uploads)
    .where(
      and(
        eq(changes.entity, given.entity),
        eq(changes.record_id, given.id),
        sql`instr(${changes.fields}, ${given.key}) > 0`,
        eq(uploads.key, given.key),
        eq(uploads.user_id, changes.actor_id),
        lte(uploads.at, changes.at),
      ),
    )
    .orderBy(desc(changes.record_version), desc(uploads.id))
    .limit(1)
    .prepare(),
)

const anyUpload = prepareOnce((db, given) =>
  db.select({ id: uploads.id }).from(uploads).where(eq(uploads.key, given.key)).limit(1).prepare(),
)

const uploadByUser = prepareOnce((db, given) =>
  db
    .select({ name: uploads.name, size: uploads.size })
    .from(uploads)
    .where(and(eq(uploads.key, given.key), eq(uploads.user_id, given.user), gt(uploads.at, given.since)))
    .orderBy(desc(uploads.id))
    .limit(1)
    .prepare(),
)
