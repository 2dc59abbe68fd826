import { and, eq, isNull, max } from 'drizzle-orm'
import {
  changes,
  type Database,
  importParts,
  imports,
  type RowResult,
  type SheetRow,
  type Skipped,
  write,
  writeAndRollBack,
} from '../../database/index.ts'
import { authorize } from '../../web/access/policy-hook.ts'
import { url } from '../../web/addresses.ts'
import type { Context } from '../../web/context.ts'
import { HttpError, notFound } from '../../web/errors.ts'
import { addJob, type JobKind } from '../../web/jobs/job.ts'
import { eachInTurn } from '../../web/operations/each-in-turn.ts'
import { findImport, type Import, type ImportKind, isLong, readRows, readRowsNow, subjectOf } from './import.ts'
import { importRow, prepareRun } from './import-row.ts'

/** The last check of an installation, for as long as no record changes. */
const lastCheck = new WeakMap<Database, { key: string; results: RowResult[] }>()

/** Imports every row for real, in a transaction of its own that is rolled back; others are served in between. */
export async function dryRun(context: Context, target: ImportKind, sheet: Import): Promise<RowResult[]> {
  const { db } = context.server
  const newest = max(changes.id)
  const state = db.select({ newest }).from(changes).get()
  const key = JSON.stringify([sheet.id, sheet.created_at, sheet.fields, sheet.key_field, sheet.replaces_prices, context.language, state])
  const known = lastCheck.get(db)
  if (known?.key === key) return known.results
  const rows = await readRows(db, sheet.id)
  const run = prepareRun(context, target, sheet, rows)
  const results: RowResult[] = []
  await eachInTurn(rows, (row) => void results.push(writeAndRollBack(db, () => importRow(run, row))))
  lastCheck.set(db, { key, results })
  return results
}

export const isRefused = ({ outcome }: RowResult): boolean => outcome === 'refused'

export class ImportRejected extends Error {}

interface Saved {
  results?: RowResult[]
  /** The address of the job. */
  job?: string
}

/** Saves every row or, if one is refused, none; very many become a job. Call it inside `write`. */
export function saveRows(context: Context, target: ImportKind, sheet: Import, rows: SheetRow[]): Saved {
  const { db } = context.server
  if (isLong(sheet)) {
    const payload: ImportedSheet = { id: sheet.id }
    return { job: addJob(context, { kind: 'import', list: sheet.list, subject: subjectOf(sheet), total: rows.length, payload }) }
  }
  const run = prepareRun(context, target, sheet, rows)
  const results = rows.map((row) => importRow(run, row))
  if (results.some(isRefused)) throw new ImportRejected()
  keepResults(db, sheet, results)
  markSaved(db, sheet)
  return { results }
}

export interface ImportedSheet {
  id: number
}

/** A row that is refused by now is skipped and named. */
export const importJob = (targets: ImportKind[]): JobKind<ImportedSheet> => {
  const lastRows = new WeakMap<Database, { id: number; rows: SheetRow[] }>()
  const rowsOf = (db: Database, { id }: Import) => {
    const known = lastRows.get(db)
    const rows = known?.id === id ? known.rows : readRowsNow(db, id)
    lastRows.set(db, { id, rows })
    return rows
  }
  return {
    perform(context, { payload, done }, size) {
      const { db } = context.server
      const { sheet, target } = findForJob(context, targets, payload)
      if (sheet.undone_at) throw new HttpError(409, 'This import was undone meanwhile.')
      const rows = rowsOf(db, sheet).slice(done, done + size)
      if (rows.length === 0) throw notFound()
      const run = prepareRun(context, target, sheet, rows)
      const results = rows.map((row) => importOrSkip(db, () => importRow(run, row)))
      keepResults(db, sheet, results)
      return { done: rows.length, skipped: results.filter(isRefused).map((result) => describeSkipped(context, result)) }
    },
    end({ db }, { payload }) {
      lastRows.delete(db)
      if (db.select().from(importParts).where(eq(importParts.import_id, payload.id)).limit(1).get()) markSaved(db, payload)
    },
    links({ server, actor }, { payload }) {
      const back = url(server, `/imports/${payload.id}`)
      const sheet = findImport(server.db, payload.id, actor)
      return { back, undo: sheet?.saved_at && !sheet.undone_at ? { action: `${back}/undo` } : undefined }
    },
  }
}

/**
 * The import that a job works on, and the list that it goes into.
 * @throws HttpError when it is gone, or whoever has started the job may no longer import
 */
export function findForJob(
  { server, actor }: Context,
  targets: ImportKind[],
  { id }: ImportedSheet,
): { sheet: Import; target: ImportKind } {
  const sheet = findImport(server.db, id, actor)
  const target = targets.find(({ card }) => card.list === sheet?.list)
  if (!sheet || !target) throw notFound()
  authorize(target.rule, actor)
  return { sheet, target }
}

/** Nothing stays of a row that is refused. */
function importOrSkip(db: Database, work: () => RowResult): RowResult {
  let result: RowResult | undefined
  const refused = new Error('this row is refused')
  try {
    return write(db, () => {
      result = work()
      if (isRefused(result)) throw refused
      return result
    })
  } catch (error) {
    if (error !== refused || !result) throw error
    return result
  }
}

function describeSkipped({ t }: Context, { row, label, problems }: RowResult): Skipped {
  const reasons = problems.map(({ label = '', message, params }) => `${t(label)}: ${t(message, params)}`)
  return { id: row, label: t('Row {row}: {name}', { row, name: label }), reason: reasons.join('; ') }
}

function keepResults(db: Database, { id }: Import, results: RowResult[]): void {
  db.insert(importParts).values({ import_id: id, results }).run()
}

function markSaved(db: Database, { id }: ImportedSheet): void {
  db.update(imports)
    .set({ saved_at: Date.now() })
    .where(and(eq(imports.id, id), isNull(imports.saved_at)))
    .run()
}
