import type { Rule } from '../../core/access.ts'
import { write } from '../../database/index.ts'
import { restoreRecords } from '../../database/restore-records.ts'
import { authorize } from '../../web/access/policy-hook.ts'
import type { Acting } from '../../web/acting.ts'
import { notFound } from '../../web/http.ts'
import { noteUnfinished, undoRestoration } from '../../web/list/unfinished-batches.ts'
import { bulkLimit } from '../../web/operations/long-writes.ts'
import { type Batch, findBatch, findTrashed, markRestored, recordIdsOf } from './batch.ts'

/**
 * Restores the records of a batch in slices, or none of them; one that has been restored already stays as it is.
 * @param rule who may restore what
 * @throws RestoreConflictError when something no longer fits, HttpError when this person may not
 */
export async function restoreBatch(acting: Acting, rule: Rule<Batch>, { id }: Batch): Promise<Batch> {
  const { server, actor } = acting
  const { db, deletions, longWrites } = server
  // Another one may have been waited for.
  const batch = findBatch(db, id)
  if (!batch) throw notFound()
  authorize(rule, acting.renew().actor, batch)
  if (batch.restored_at !== null) return batch
  const ids = recordIdsOf(db, batch)
  const restore = (slice: number[], isLast: boolean) =>
    write(db, () => {
      restoreSlice(acting.renew(), rule, batch, slice)
      if (slice.length < ids.length) noteUnfinished(db, batch.batch, 'restore', isLast)
    })
  try {
    await (deletions.get(batch.list)?.whole || ids.length <= bulkLimit ? restore(ids, true) : longWrites.inSlices(actor.id, ids, restore))
  } catch (error) {
    await undoRestoration(server, batch.batch)
    throw error
  }
  return batch
}

/** Asks for the right to these records only: that to the whole batch would take longer than restoring them. */
function restoreSlice(acting: Acting, rule: Rule<Batch>, batch: Batch, ids: number[]): void {
  const { db, deletions } = acting.server
  const deletion = deletions.get(batch.list)
  const trashed = findTrashed(db, ids)
  const rows = trashed.map(({ removed }) => removed.rows[0]?.row ?? {})
  authorize(rule, acting.actor, { ...batch, facts: rows })
  restoreRecords(db, trashed, deletion?.restoreConflicts?.(db, rows) ?? [], acting.author)
  const restored = trashed.map(({ record_id }) => record_id)
  deletion?.restored?.(acting, restored)
  deletion?.changed?.(db, restored, acting.author)
  markRestored(db, ids)
}
