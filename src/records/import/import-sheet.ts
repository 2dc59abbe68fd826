import { and, eq, isNull, max } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import { eachInTurn } from '../../concurrency/each-in-turn.ts'
import { allows, ignoringScope } from '../../core/access.ts'
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
import { authorize } from '../../http/access/authorize.ts'
import { url } from '../../http/request/addresses.ts'
import type { Context } from '../../http/request/context.ts'
import { HttpError, notFound, type Problem } from '../../http/request/errors.ts'
import { bodyOf } from '../../http/request/input.ts'
import { addJob, bulkLimit, type JobKind } from '../jobs/job.ts'
import { findKeys } from './find-record.ts'
import { findImport, type Import, type ImportKind, importedRows, importedRowsNow, importKindOf, isTouched, subjectOf } from './import.ts'
import { changeMissing, importRow } from './import-row.ts'
import { prepareRun } from './run.ts'

/** The last check of an installation, for as long as no record changes. */
const lastCheck = new WeakMap<Database, { key: string; check: Check }>()

interface Check {
  results: RowResult[]
  /** The records that no row names. */
  missing: number[]
}

/** Imports every row for real, in a transaction of its own that is rolled back; others are served in between. */
export async function dryRun(context: Context, sheet: Import): Promise<Check> {
  const { db } = context.server
  const newest = max(changes.id)
  const state = db.select({ newest }).from(changes).get()
  const key = JSON.stringify([sheet, context.language, state])
  const known = lastCheck.get(db)
  if (known?.key === key) return known.check
  const rows = await importedRows(db, sheet)
  const run = prepareRun(context, sheet, rows)
  const results: RowResult[] = []
  const missing = missingRecords(context, sheet, rows)
  const all = [...rows, ...(sheet.switches_off ? missing : [])]
  await eachInTurn(all, (one) => void results.push(writeAndRollBack(db, () => importOne(run, one))))
  const check = { results, missing }
  lastCheck.set(db, { key, check })
  return check
}

const importOne = (run: ReturnType<typeof prepareRun>, one: SheetRow | number): RowResult =>
  typeof one === 'number' ? changeMissing(run, one) : importRow(run, one)

export const isRefused = ({ outcome }: RowResult): boolean => outcome === 'refused'

/** Nothing was saved or taken back, which the page of the import says with more than one problem. */
export class ImportRejected extends HttpError {
  readonly problems: Problem[]
  constructor(status: number, message: string, problems: Problem[] = []) {
    super(status, message)
    this.problems = problems
  }
}

const rowsRejected = () => new ImportRejected(422, 'Nothing was saved. Fix the rejected rows and upload the file again.')

interface Savable {
  rows: SheetRow[]
  /** The records to be changed that no row names. */
  missing: number[]
}

const isLong = ({ rows, missing }: Savable): boolean => rows.length + missing.length > bulkLimit

/**
 * What an import saves; others are served in between.
 * @throws ImportRejected when there are very many, which a job would save, and one of them is refused already
 */
export async function readSavable(context: FastifyRequest, sheet: Import): Promise<Savable> {
  const rows = await importedRows(context.server.db, sheet)
  const savable = { rows, missing: sheet.switches_off ? missingRecords(context, sheet, rows) : [] }
  const mayBeRefused = isLong(savable) && !sheet.saved_at && !wantsGoodRows(context)
  if (mayBeRefused && (await dryRun(context, sheet)).results.some(isRefused)) throw rowsRejected()
  return savable
}

/** Whether refused rows do not hold up the others. */
export const wantsGoodRows = (request: FastifyRequest): boolean => bodyOf(request).get('good_rows') === '1'

/**
 * Saves every row or, if one is refused, none, unless only the good ones are wanted; very many become a job. Call it inside `write`.
 * @returns how many records were added or changed, or the address of the job
 */
export function saveRows(
  context: Context,
  sheet: Import,
  savable: Savable,
  { onlyGood, invites }: { onlyGood: boolean; invites: boolean },
): number | string {
  const { db } = context.server
  const { rows, missing } = savable
  const all = [...rows, ...missing]
  if (isLong(savable)) {
    const payload: SavedSheet = { id: sheet.id, invites, missing }
    return addJob(context, { kind: 'import', list: sheet.list, subject: subjectOf(sheet), total: all.length, payload })
  }
  const run = prepareRun(context, sheet, rows, { invites })
  const results = all.map((one) => (onlyGood ? importOrSkip(db, () => importOne(run, one)) : importOne(run, one)))
  if (!onlyGood && results.some(isRefused)) throw rowsRejected()
  keepResults(db, sheet, results)
  markSaved(db, sheet)
  return results.filter(isTouched).length
}

export interface ImportedSheet {
  id: number
}

interface SavedSheet extends ImportedSheet {
  invites?: boolean
  missing?: number[]
}

/** A row that is refused by now is skipped and named. */
export const importJob: JobKind<SavedSheet> = {
  perform(context, { payload, done }, size) {
    const { db } = context.server
    const { sheet } = findForJob(context, payload)
    if (sheet.undone_at) throw new HttpError(409, 'This import was undone meanwhile.')
    const all = rowsOf(db, sheet)
    const part = [...all, ...(payload.missing ?? [])].slice(done, done + size)
    if (all.length === 0 || part.length === 0) throw notFound()
    const rows = part.filter((one) => typeof one !== 'number')
    const run = prepareRun(context, sheet, rows, { all, invites: payload.invites })
    const results = part.map((one) => importOrSkip(db, () => importOne(run, one)))
    keepResults(db, sheet, results)
    return { done: part.length, skipped: results.filter(isRefused).map((result) => describeSkipped(context, result)) }
  },
  end({ db }, { payload }): undefined {
    lastRows.delete(db)
    if (db.select().from(importParts).where(eq(importParts.import_id, payload.id)).limit(1).get()) markSaved(db, payload)
  },
  links({ server, actor }, { payload }) {
    const back = url(server, `/imports/${payload.id}`)
    const sheet = findImport(server.db, payload.id, actor)
    return { back, undo: sheet?.saved_at && !sheet.undone_at ? { action: `${back}/undo` } : undefined }
  },
}

/** The rows of the last job, part after part. */
const lastRows = new WeakMap<Database, { id: number; rows: SheetRow[] }>()

function rowsOf(db: Database, sheet: Import): SheetRow[] {
  const { id } = sheet
  const known = lastRows.get(db)
  const rows = known?.id === id ? known.rows : importedRowsNow(db, sheet)
  lastRows.set(db, { id, rows })
  return rows
}

/**
 * The import that a job works on, and the list that it goes into.
 * @throws HttpError when it is gone, or whoever has started the job may no longer import
 */
export function findForJob({ server, actor }: Context, { id }: ImportedSheet): { sheet: Import; kind: ImportKind } {
  const sheet = findImport(server.db, id, actor)
  if (!sheet) throw notFound()
  const kind = importKindOf(server, sheet)
  authorize(kind.rule, actor)
  return { sheet, kind }
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
  const reasons = problems.map(({ label = '', ...problem }) => `${t(label)}: ${t(problem)}`)
  return { id: row, label: row ? t('Row {row}: {name}', { row, name: label }) : label, reason: reasons.join('; ') }
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

/** The records of the list that no row names, for those who may change them; none where no row names any, as the sheet may be of something else. */
function missingRecords({ server, actor }: Pick<Context, 'server' | 'actor'>, sheet: Import, rows: SheetRow[]): number[] {
  const kind = importKindOf(server, sheet)
  if (!kind.missing || !allows(ignoringScope(kind.card.may.edit), actor)) return []
  const named = new Set([...findKeys(server.db, kind, sheet, rows).values()].flat())
  return named.size > 0 ? kind.missing.ids(server.db).filter((id) => !named.has(id)) : []
}
