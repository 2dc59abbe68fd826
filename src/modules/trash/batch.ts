import { and, asc, eq, gt, isNull, sql } from 'drizzle-orm'
import type { Database } from '../../database/open.ts'
import { prepareOnce } from '../../database/prepare-once.ts'
import type { TrashedRecord } from '../../database/restore-records.ts'
import { trash } from '../../database/schema/index.ts'
import type { FindRecord } from '../../web/http.ts'
import { restorableSince } from '../../web/operations/housekeeping.ts'

export interface Batch {
  id: number
  batch: string
  list: string
  size: number
  label: string
  restored_at: number | null
  facts: Record<string, unknown>[]
}

export const findBatch: FindRecord<Batch> = (db, id) => {
  const first = firstRecord(db).get({ id, since: restorableSince() })
  return (
    first && {
      ...first,
      size: first.size as number,
      facts: factsOfBatch(db)
        .all(first)
        .map(({ facts }) => facts),
    }
  )
}

const firstRecord = prepareOnce((db) =>
  db
    .select({ id: trash.id, batch: trash.batch, list: trash.list, size: trash.size, label: trash.label, restored_at: trash.restored_at })
    .from(trash)
    .where(and(eq(trash.id, sql.placeholder('id')), sql`${trash.size} is not null`, gt(trash.at, sql.placeholder('since'))))
    .prepare(),
)

const factsOfBatch = prepareOnce((db) =>
  db
    .select({ facts: trash.facts })
    .from(trash)
    .where(eq(trash.batch, sql.placeholder('batch')))
    .orderBy(asc(trash.id))
    .prepare(),
)

export function recordsOf(db: Database, { batch }: Batch): TrashedRecord[] {
  return db.select().from(trash).where(eq(trash.batch, batch)).orderBy(asc(trash.id)).all()
}

export function restorableFacts(db: Database): { batch: string; list: string; facts: Record<string, unknown> }[] {
  return db
    .select({ batch: trash.batch, list: trash.list, facts: trash.facts })
    .from(trash)
    .where(and(gt(trash.at, restorableSince()), isNull(trash.restored_at)))
    .all()
}

export function markRestored(db: Database, { batch }: Batch): void {
  db.update(trash).set({ restored_at: Date.now() }).where(eq(trash.batch, batch)).run()
}
