import { eq } from 'drizzle-orm'
import { eachInTurn } from '../../concurrency/each-in-turn.ts'
import { closeBatch, deletePart, restorableBatch } from '../../database/delete-records.ts'
import { type Database, imports } from '../../database/index.ts'
import { authorize } from '../../http/access/authorize.ts'
import { url } from '../../http/request/addresses.ts'
import type { Context } from '../../http/request/context.ts'
import { HttpError, type Problem } from '../../http/request/errors.ts'
import { saveRecord } from '../card/save-record.ts'
import { attemptAll } from '../jobs/attempt-all.ts'
import { addJob, batchOf, bulkLimit, findOpenJob, type JobKind } from '../jobs/job.ts'
import { countConsequences } from '../list/deletion.ts'
import { type Import, type ImportKind, importKindOf, isTouched, readResults, subjectOf, type Touched } from './import.ts'
import { findForJob, type ImportedSheet, ImportRejected } from './import-sheet.ts'

/** From the end, as what was added last may refer to what was added first. */
const touchedBy = (db: Database, { id }: Import): Touched[] => readResults(db, id).filter(isTouched).reverse()

const isUntouchedSince = ({ server: { db } }: Context, { card }: ImportKind, { id, version }: Touched) =>
  card.find(db, id)?.version === version

/**
 * What taking an import back would touch; others are served in between.
 * @throws HttpError when it cannot be taken back
 */
export async function findUndoable(context: Context, sheet: Import): Promise<Touched[]> {
  const { db } = context.server
  if (!sheet.saved_at) throw new HttpError(409, 'This import has not been saved.')
  const touched = touchedBy(db, sheet)
  const obstacles = sheet.undone_at || findOpenJob(db, subjectOf(sheet)) ? [] : await findObstacles(context, sheet, touched)
  if (obstacles.length > 0) throw new ImportRejected(409, 'This import can no longer be undone. Nothing was changed.', obstacles)
  return touched
}

async function findObstacles(context: Context, sheet: Import, touched: Touched[]): Promise<Problem[]> {
  const kind = importKindOf(context.server, sheet)
  const changed: Touched[] = []
  await eachInTurn(touched, (result) => {
    if (!isUntouchedSince(context, kind, result)) changed.push(result)
  })
  if (changed.length > 0) return changed.map(changedSince)
  const added = addedBy(touched)
  const refused = kind.deletion.before?.(context, added, new URLSearchParams())
  if (refused) return [refused]
  return countConsequences(context.server.db, kind.deletion, added).map(([message, count]) => ({ message, params: { count } }))
}

const addedBy = (touched: Touched[]) => touched.flatMap(({ outcome, id }) => (outcome === 'new' ? [id] : []))

const changedSince = ({ row, label }: Touched): Problem => ({
  message: row ? 'Row {row}: {name} has been changed since the import.' : '{name} has been changed since the import.',
  params: { row, name: label },
})

/** Deletes what an import added and restores what it changed; very much becomes a job, of which this is the address. Call it inside `write`. */
export function undoImport(context: Context, sheet: Import, touched: Touched[]): string | undefined {
  const { db } = context.server
  if (touched.length > bulkLimit) {
    const payload: ImportedSheet = { id: sheet.id }
    return addJob(context, { kind: 'undo-import', list: sheet.list, subject: subjectOf(sheet), total: touched.length, payload })
  }
  const batch = crypto.randomUUID()
  revertRows(context, importKindOf(context.server, sheet), touched, batch)
  closeBatch(db, batch)
  markUndone(db, sheet)
}

/** What was changed since the import is skipped and named. */
export const undoImportJob: JobKind<ImportedSheet> = {
  perform(context, job, size) {
    const { sheet, kind } = findForJob(context, job.payload)
    const part = new Map(
      touchedOf(context.server.db, sheet)
        .slice(job.done, job.done + size)
        .map((result) => [result.id, result]),
    )
    const rows = (ids: number[]) => ids.flatMap((id) => part.get(id) ?? [])
    const refused = attemptAll(context, [...part.keys()], (ids) => revertRows(context, kind, rows(ids), batchOf(job)))
    return { done: Math.max(part.size, 1), skipped: refused.map(({ id, reason }) => ({ id, label: part.get(id)?.label ?? '', reason })) }
  },
  end({ db }, job): undefined {
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

/** What the last job takes back, part after part. */
const lastTouched = new WeakMap<Database, { id: number; touched: Touched[] }>()

function touchedOf(db: Database, sheet: Import): Touched[] {
  const known = lastTouched.get(db)
  const touched = known?.id === sheet.id ? known.touched : touchedBy(db, sheet)
  lastTouched.set(db, { id: sheet.id, touched })
  return touched
}

function markUndone(db: Database, { id }: ImportedSheet): void {
  db.update(imports).set({ undone_at: Date.now() }).where(eq(imports.id, id)).run()
}

/** @throws HttpError when somebody has changed one of them since, or has come to depend on it, or this person may not */
function revertRows(context: Context, kind: ImportKind, touched: Touched[], batch: string): void {
  const { db } = context.server
  const { card, deletion } = kind
  for (const result of touched) {
    authorize(result.outcome === 'new' ? deletion.rule : card.may.edit, context.actor, card.find(db, result.id))
    const { message, params } = changedSince(result)
    if (!isUntouchedSince(context, kind, result)) throw new HttpError(409, message, params)
  }
  const added = addedBy(touched)
  const problem = deletion.before?.(context, added, new URLSearchParams())
  if (problem) throw problem
  const [dependents] = countConsequences(db, deletion, added)
  if (dependents) throw new HttpError(409, dependents[0], { count: dependents[1] })
  if (added.length > 0) deletePart(db, batch, { ...deletion, list: card.list }, added, context.author)
  for (const result of touched) if (result.outcome === 'changed') revertChange(context, kind, result)
}

function revertChange(context: Context, { card, reverting }: ImportKind, { id, before }: Touched): void {
  saveRecord(context, card, card.find(context.server.db, id), { ...before, ...reverting })
}
