import { and, asc, desc, eq, isNotNull, isNull } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import type { Rule } from '../../core/access.ts'
import { closeBatch } from '../../database/delete-records.ts'
import { type Database, trash, whereIn } from '../../database/index.ts'
import { restoreRecords, type TrashedRecord } from '../../database/restore-records.ts'
import { authorize } from '../../http/access/authorize.ts'
import { url } from '../../http/request/addresses.ts'
import type { Context } from '../../http/request/context.ts'
import { attemptAll, describeRefusal } from '../jobs/attempt-all.ts'
import { addJob, bulkLimit, type JobKind } from '../jobs/job.ts'
import { type Batch, findBatch } from './batch.ts'
import { RestoreRejected } from './conflicts.ts'

interface ManyRestored {
  /** The first record of the batch. */
  batch: number
  /** Records of the trash, from the end. */
  ids: number[]
}

/**
 * Restores the records of a batch, or none of them; very many become a job. Call it inside `write`.
 * @param rule who may restore what
 * @returns the address of the job
 * @throws RestoreRejected when something no longer fits, HttpError when this person may not
 */
export function restoreBatch(context: Context, rule: Rule<Batch>, batch: Batch): string | undefined {
  const { db } = context.server
  if (batch.restored_at !== null) return
  const ids = recordIdsOf(db, batch)
  if (ids.length <= bulkLimit) return restore(context, rule, batch, ids)
  const payload: ManyRestored = { batch: batch.id, ids }
  return addJob(context, { kind: 'restore', list: batch.list, subject: `bin ${batch.id}`, total: ids.length, payload })
}

/** From the end of the batch, as it has to be restored. */
function recordIdsOf(db: Database, { batch }: Batch): number[] {
  const records = db.select({ id: trash.id }).from(trash).where(eq(trash.batch, batch)).orderBy(desc(trash.id)).all()
  return records.map(({ id }) => id)
}

/** Asks for the right to these records only: that to the whole batch would take longer than restoring them. */
function restore(context: Context, rule: Rule<Batch>, batch: Batch, ids: number[]): undefined {
  const { db, records } = context.server
  const deletion = records.get(batch.list)?.deletion
  const trashed = findTrashed(db, ids)
  const rows = trashed.map(({ removed }) => removed.rows[0]?.row ?? {})
  authorize(rule, context.actor, { ...batch, facts: rows })
  const conflicts = restoreRecords(db, trashed, deletion?.restoreConflicts?.(db, rows) ?? [], context.author)
  if (conflicts.length > 0) throw new RestoreRejected(context, conflicts)
  const restored = trashed.map(({ record_id }) => record_id)
  deletion?.restored?.(context, restored)
  deletion?.changed?.(db, restored, context.author)
  markRestored(db, ids)
}

/** What no longer fits stays in the trash, as a batch of its own. */
export const restoreJob = (rule: Rule<Batch>): JobKind<ManyRestored> => ({
  perform(context, job, size) {
    const { db } = context.server
    authorize(rule, context.actor)
    const ids = job.payload.ids.slice(job.done, job.done + size)
    const batch = findBatch(db, job.payload.batch)
    if (!batch) return { done: job.total - job.done }
    const waiting = findTrashed(db, ids).filter(({ restored_at }) => restored_at === null)
    const names = new Map(waiting.map(({ id, record_id, label }) => [id, { id: record_id, label }]))
    const refused = attemptAll(context, [...names.keys()].reverse(), (some) => restore(context, rule, batch, some), reasonFor(context))
    return { done: ids.length, skipped: refused.map(({ id, reason }) => ({ ...(names.get(id) as { id: number; label: string }), reason })) }
  },
  end({ db }: FastifyInstance, { payload }): undefined {
    const batch = findBatch(db, payload.batch)
    const rest = batch && moveUnrestored(db, batch)
    if (rest) closeBatch(db, rest)
  },
  links: ({ server }, { list }) => ({ back: url(server, `/${list}`) }),
})

/** Makes a batch of its own of what was not restored with the others; returns its name, none where that is nothing, or all. */
function moveUnrestored(db: Database, { batch }: Batch): string | undefined {
  const all = eq(trash.batch, batch)
  if (
    !db
      .select({ id: trash.id })
      .from(trash)
      .where(and(all, isNotNull(trash.restored_at)))
      .limit(1)
      .get()
  )
    return undefined
  const rest = crypto.randomUUID()
  const { changes } = db
    .update(trash)
    .set({ batch: rest, size: null })
    .where(and(all, isNull(trash.restored_at)))
    .run()
  return changes > 0 ? rest : undefined
}

function reasonFor(context: Context) {
  return (error: unknown) => (error instanceof RestoreRejected ? error.problems.join(' ') : describeRefusal(context)(error))
}

function findTrashed(db: Database, ids: number[]): TrashedRecord[] {
  return db.select().from(trash).where(whereIn(trash.id, ids)).orderBy(asc(trash.id)).all()
}

function markRestored(db: Database, ids: number[]): void {
  db.update(trash).set({ restored_at: Date.now() }).where(whereIn(trash.id, ids)).run()
}
