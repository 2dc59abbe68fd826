import { and, asc, desc, eq, isNotNull } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import { closeBatch, removeRecords } from '../../database/delete-records.ts'
import { type Author, type Database, trash, unfinishedBatches, whereIn, write } from '../../database/index.ts'
import { RestoreConflictError, restoreRecords } from '../../database/restore-records.ts'
import { inSlices } from '../operations/long-writes.ts'

type Action = (typeof unfinishedBatches.$inferSelect)['action']

/** Notes in the transaction of its first part that a batch has more, and in that of its last that it is complete. */
export function noteUnfinished(db: Database, batch: string, action: Action, finished: boolean): void {
  if (finished) db.delete(unfinishedBatches).where(eq(unfinishedBatches.batch, batch)).run()
  else db.insert(unfinishedBatches).values({ batch, action }).onConflictDoNothing().run()
}

/** Undoes what was interrupted by the end of the process. */
export async function undoUnfinishedBatches(app: FastifyInstance): Promise<void> {
  for (const { batch, action } of app.db.select().from(unfinishedBatches).all()) {
    app.log.warn({ batch, action }, 'an interrupted operation is undone')
    await (action === 'delete' ? undoDeletion(app, batch) : undoRestoration(app, batch))
  }
}

/** Puts back what has been deleted of a batch. What no longer fits stays in the trash, to be restored by whoever may. */
export async function undoDeletion({ db, log, deletions }: FastifyInstance, batch: string): Promise<void> {
  const records = db.select({ id: trash.id }).from(trash).where(eq(trash.batch, batch)).orderBy(desc(trash.id)).all()
  try {
    await inSlices(records, (slice) =>
      write(db, () => {
        const inSlice = whereIn(
          trash.id,
          slice.map(({ id }) => id),
        )
        const trashed = db.select().from(trash).where(inSlice).orderBy(asc(trash.id)).all()
        restoreRecords(db, trashed, [], authorOf(trashed))
        deletions.get(trashed[0]?.list ?? '')?.changed?.(db, idsOf(trashed), authorOf(trashed))
        db.delete(trash).where(inSlice).run()
      }),
    )
  } catch (error) {
    if (!(error instanceof RestoreConflictError)) throw error
    log.error({ conflicts: error.conflicts }, 'a deletion could not be undone completely')
    write(db, () => closeBatch(db, batch))
  }
  noteUnfinished(db, batch, 'delete', true)
}

/** Deletes again what has been restored of a batch. */
export async function undoRestoration({ db, deletions }: FastifyInstance, batch: string): Promise<void> {
  const restored = and(eq(trash.batch, batch), isNotNull(trash.restored_at))
  const columns = { id: trash.id, record_id: trash.record_id, list: trash.list, actor_id: trash.actor_id, actor_name: trash.actor_name }
  const records = db.select(columns).from(trash).where(restored).orderBy(asc(trash.id)).all()
  await inSlices(records, (slice) =>
    write(db, () => {
      const deletion = deletions.get(slice[0]?.list ?? '')
      const ids = idsOf(slice)
      for (const { row, removed } of deletion ? removeRecords(db, deletion, ids, authorOf(slice)) : [])
        db.update(trash)
          .set({ removed, restored_at: null })
          .where(and(eq(trash.batch, batch), eq(trash.record_id, row.id as number)))
          .run()
      deletion?.changed?.(db, ids, authorOf(slice))
    }),
  )
  noteUnfinished(db, batch, 'restore', true)
}

const idsOf = (records: { record_id: number }[]) => records.map(({ record_id }) => record_id)

function authorOf([record]: { actor_id: number | null; actor_name: string }[]): Author {
  return { id: record?.actor_id ?? null, name: record?.actor_name ?? '' }
}
