import { and, asc, desc, eq, gt, isNotNull, isNull, sql } from 'drizzle-orm'
import { type Database, prepareOnce, type StoredRow, trash, whereIn } from '../../database/index.ts'
import type { TrashedRecord } from '../../database/restore-records.ts'
import type { FindRecord } from '../../web/http.ts'
import { restorableSince } from '../../web/operations/housekeeping.ts'

export interface Batch {
  id: number
  batch: string
  list: string
  size: number
  label: string
  restored_at: number | null
  /** What decides who may restore it: every kind of record in it, once. */
  facts: StoredRow[]
}

export const findBatch: FindRecord<Batch> = (db, id) => {
  const first = firstRecord(db).get({ id, since: restorableSince() })
  return first && { ...first, size: first.size as number }
}

const columns = {
  id: trash.id,
  batch: trash.batch,
  list: trash.list,
  size: trash.size,
  label: trash.label,
  restored_at: trash.restored_at,
  facts: trash.facts,
}

const firstRecord = prepareOnce((db) =>
  db
    .select(columns)
    .from(trash)
    .where(and(eq(trash.id, sql.placeholder('id')), isNotNull(trash.size), gt(trash.at, sql.placeholder('since'))))
    .prepare(),
)

export function restorableBatches(db: Database): Pick<Batch, 'id' | 'list' | 'facts'>[] {
  return db
    .select({ id: trash.id, list: trash.list, facts: trash.facts })
    .from(trash)
    .where(and(isNotNull(trash.size), isNull(trash.restored_at), gt(trash.at, restorableSince())))
    .all()
}

/** From the end of the batch, as it has to be restored. */
export function recordIdsOf(db: Database, { batch }: Batch): number[] {
  const records = db.select({ id: trash.id }).from(trash).where(eq(trash.batch, batch)).orderBy(desc(trash.id)).all()
  return records.map(({ id }) => id)
}

export function findTrashed(db: Database, ids: number[]): TrashedRecord[] {
  return db.select().from(trash).where(whereIn(trash.id, ids)).orderBy(asc(trash.id)).all()
}

export function markRestored(db: Database, ids: number[]): void {
  db.update(trash).set({ restored_at: Date.now() }).where(whereIn(trash.id, ids)).run()
}
