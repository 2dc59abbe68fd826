import { eq } from 'drizzle-orm'
import { closeBatch, deletePart, restorableBatch } from '../../database/delete-records.ts'
import { type Database, imports, type RowResult } from '../../database/index.ts'
import { authorize } from '../../web/access/policy-hook.ts'
import { url } from '../../web/addresses.ts'
import { saveRecord } from '../../web/card/save-record.ts'
import type { Context } from '../../web/context.ts'
import { HttpError, type Problem } from '../../web/errors.ts'
import { attemptAll } from '../../web/jobs/attempt-all.ts'
import { addJob, batchOf, bulkLimit, type JobKind } from '../../web/jobs/job.ts'
import { countConsequences } from '../../web/list/deletion.ts'
import { eachInTurn } from '../../web/operations/each-in-turn.ts'
import { type Import, type ImportKind, readResults, subjectOf } from './import.ts'
import { findForJob, type ImportedSheet } from './import-sheet.ts'

/** A row that has added or changed a record. */
type Touched = RowResult & { id: number }

export const isTouched = (result: RowResult): result is Touched => result.outcome === 'new' || result.outcome === 'changed'

/** From the end, as what was added last may refer to what was added first. */
export const touchedBy = (db: Database, { id }: Import): Touched[] => readResults(db, id).filter(isTouched).reverse()

const isUntouchedSince = ({ server: { db } }: Context, { card }: ImportKind, { id, version }: Touched) =>
  card.find(db, id)?.version === version

/** What stands in the way of taking an import back; others are served in between. */
export async function findObstacles(context: Context, target: ImportKind, touched: Touched[]): Promise<Problem[]> {
  const changed: Touched[] = []
  await eachInTurn(touched, (result) => {
    if (!isUntouchedSince(context, target, result)) changed.push(result)
  })
  if (changed.length > 0) return changed.map(changedSince)
  const added = addedBy(touched)
  const refused = target.deletion.before?.(context, added, new URLSearchParams())
  if (refused) return [refused]
  return countConsequences(context.server.db, target.deletion, added).map(([message, count]) => ({ message, params: { count } }))
}

const addedBy = (touched: Touched[]) => touched.flatMap(({ outcome, id }) => (outcome === 'new' ? [id] : []))

const changedSince = ({ row, label }: Touched): Problem => ({
  message: 'Row {row}: {name} has been changed since the import.',
  params: { row, name: label },
})

/** Deletes what an import added and restores what it changed; very much becomes a job, of which this is the address. Call it inside `write`. */
export function undoImport(context: Context, target: ImportKind, sheet: Import, touched: Touched[]): string | undefined {
  const { db } = context.server
  if (touched.length > bulkLimit) {
    const payload: ImportedSheet = { id: sheet.id }
    return addJob(context, { kind: 'undo-import', list: sheet.list, subject: subjectOf(sheet), total: touched.length, payload })
  }
  const batch = crypto.randomUUID()
  revertRows(context, target, touched, batch)
  closeBatch(db, batch)
  markUndone(db, sheet)
}

/** What was changed since the import is skipped and named. */
export const undoImportJob = (targets: ImportKind[]): JobKind<ImportedSheet> => {
  const lastTouched = new WeakMap<Database, { id: number; touched: Touched[] }>()
  const touchedOf = (db: Database, sheet: Import) => {
    const known = lastTouched.get(db)
    const touched = known?.id === sheet.id ? known.touched : touchedBy(db, sheet)
    lastTouched.set(db, { id: sheet.id, touched })
    return touched
  }
  return {
    perform(context, job, size) {
      const { sheet, target } = findForJob(context, targets, job.payload)
      const part = new Map(
        touchedOf(context.server.db, sheet)
          .slice(job.done, job.done + size)
          .map((result) => [result.id, result]),
      )
      const rows = (ids: number[]) => ids.flatMap((id) => part.get(id) ?? [])
      const refused = attemptAll(context, [...part.keys()], (ids) => revertRows(context, target, rows(ids), batchOf(job)))
      return { done: Math.max(part.size, 1), skipped: refused.map(({ id, reason }) => ({ id, label: part.get(id)?.label ?? '', reason })) }
    },
    end({ db }, job) {
      lastTouched.delete(db)
      closeBatch(db, batchOf(job))
      if (job.done >= job.total) markUndone(db, job.payload)
    },
    links({ server }, job) {
      const id = restorableBatch(server.db, batchOf(job))
      const undo = id === undefined ? undefined : { action: url(server, `/bin/${id}/restore`) }
      return { back: url(server, `/imports/${job.payload.id}`), undo }
    },
  }
}

function markUndone(db: Database, { id }: ImportedSheet): void {
  db.update(imports).set({ undone_at: Date.now() }).where(eq(imports.id, id)).run()
}

/** @throws HttpError when somebody has changed one of them since, or has come to depend on it, or this person may not */
function revertRows(context: Context, target: ImportKind, touched: Touched[], batch: string): void {
  const { db } = context.server
  const { card, deletion } = target
  for (const result of touched) {
    authorize(result.outcome === 'new' ? deletion.rule : card.may.edit, context.actor, card.find(db, result.id))
    const { message, params } = changedSince(result)
    if (!isUntouchedSince(context, target, result)) throw new HttpError(409, message, params)
  }
  const added = addedBy(touched)
  const problem = deletion.before?.(context, added, new URLSearchParams())
  if (problem) throw problem
  const [dependents] = countConsequences(db, deletion, added)
  if (dependents) throw new HttpError(409, dependents[0], { count: dependents[1] })
  if (added.length > 0) deletePart(db, batch, { ...deletion, list: card.list }, added, context.author)
  for (const result of touched) if (result.outcome === 'changed') revertChange(context, target, result)
}

function revertChange(context: Context, { card, reverting }: ImportKind, { id, before }: Touched): void {
  saveRecord(context, card, card.find(context.server.db, id), { ...before, ...reverting })
}
