import { and, asc, eq, gt, isNull, sql } from 'drizzle-orm'
import type { Database } from '../../database/open.ts'
import { prepared } from '../../database/prepared.ts'
import type { KeptRecord } from '../../database/restoring.ts'
import { bin } from '../../database/schema/index.ts'
import { restorableSince } from '../../web/housekeeping.ts'
import type { FindRecord } from '../../web/http.ts'

/** What one action deleted, by what rules look at; `id` is that of its first record. */
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
  const first = firstOf(db).get({ id, since: restorableSince() })
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

const firstOf = prepared((db) =>
  db
    .select({ id: bin.id, batch: bin.batch, list: bin.list, size: bin.size, label: bin.label, restored_at: bin.restored_at })
    .from(bin)
    .where(and(eq(bin.id, sql.placeholder('id')), sql`${bin.size} is not null`, gt(bin.at, sql.placeholder('since'))))
    .prepare(),
)

const factsOfBatch = prepared((db) =>
  db
    .select({ facts: bin.facts })
    .from(bin)
    .where(eq(bin.batch, sql.placeholder('batch')))
    .orderBy(asc(bin.id))
    .prepare(),
)

/** Everything that was deleted together, in the order it was. */
export function recordsOf(db: Database, { batch }: Batch): KeptRecord[] {
  return db.select().from(bin).where(eq(bin.batch, batch)).orderBy(asc(bin.id)).all()
}

/** Every record that can still be restored, by what rules look at. */
export function waitingFacts(db: Database): { batch: string; list: string; facts: Record<string, unknown> }[] {
  return db
    .select({ batch: bin.batch, list: bin.list, facts: bin.facts })
    .from(bin)
    .where(and(gt(bin.at, restorableSince()), isNull(bin.restored_at)))
    .all()
}

export function markRestored(db: Database, { batch }: Batch): void {
  db.update(bin).set({ restored_at: Date.now() }).where(eq(bin.batch, batch)).run()
}
