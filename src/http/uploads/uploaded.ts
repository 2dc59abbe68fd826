import { and, desc, eq, gt, lte } from 'drizzle-orm'
import { type Database, prepareOnce, uploads } from '../../database/index.ts'
import { unattachedLifetime } from './folder.ts'

/** Where a file hangs: the same content may hang elsewhere under another name. */
export interface Place {
  entity: string
  id: number
  /** Any field of the record, where it is not known. */
  field?: string
}

/** A file as whoever attached it to a record had sent it. What others call the same content must not leak. */
export function attachedFile(db: Database, { entity, id, field }: Place, key: string): AttachedFile | undefined {
  return attaching(db).get({ entity, id, field: field ?? null, key })
}

export function savedName(db: Database, place: Place, key: string): string | undefined {
  return attachedFile(db, place, key)?.name
}

export function ownUpload(db: Database, key: string, userId: number): { name: string; size: number } | undefined {
  return uploadByUser(db).get({ key, user: userId, since: Date.now() - unattachedLifetime })
}

/** The name that somebody gave a file, however long ago, but not after `until`. */
export function uploadedName(db: Database, key: string, userId: number, until = Date.now()): string | undefined {
  return nameUntil(db).get({ key, user: userId, until })?.name
}

export function hasUploaded(db: Database, key: string, userId: number): boolean {
  return ownUpload(db, key, userId) !== undefined
}

export function wasUploaded(db: Database, key: string): boolean {
  return anyUpload(db).get({ key }) !== undefined
}

interface AttachedFile {
  name: string
  size: number
  at: number
  actor_name: string
}

/**
 * By the latest change that put the file there: one that only mentions it, as what was there before, names nobody. Starts from the few
 * changes of the record, as the same content may have been uploaded many times.
 */
const attaching = prepareOnce((db) =>
  db.$client.prepare<Required<{ [Name in keyof Place]: Place[Name] | null }> & { key: string }, AttachedFile>(
    `select uploads.name, uploads.size, changes.at, changes.actor_name
      from changes cross join json_each(changes.fields) as field cross join uploads
      where changes.entity = :entity and changes.record_id = :id and instr(changes.fields, :key) > 0
        and (:field is null or field.key = :field)
        and instr(field.value ->> 1, :key) > 0 and instr(coalesce(field.value ->> 0, ''), :key) = 0
        and uploads.key = :key and uploads.user_id = changes.actor_id and uploads.at <= changes.at
      order by changes.record_version desc, uploads.id desc limit 1`,
  ),
)

const anyUpload = prepareOnce((db, params) =>
  db.select({ id: uploads.id }).from(uploads).where(eq(uploads.key, params.key)).limit(1).prepare(),
)

const uploadByUser = prepareOnce((db, params) =>
  db
    .select({ name: uploads.name, size: uploads.size })
    .from(uploads)
    .where(and(eq(uploads.key, params.key), eq(uploads.user_id, params.user), gt(uploads.at, params.since)))
    .orderBy(desc(uploads.id))
    .limit(1)
    .prepare(),
)

const nameUntil = prepareOnce((db, params) =>
  db
    .select({ name: uploads.name })
    .from(uploads)
    .where(and(eq(uploads.key, params.key), eq(uploads.user_id, params.user), lte(uploads.at, params.until)))
    .orderBy(desc(uploads.id))
    .limit(1)
    .prepare(),
)
