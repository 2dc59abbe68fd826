import { setImmediate as nextTurn } from 'node:timers/promises'
import { desc, eq, max } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import {
  changes,
  type Database,
  importParts,
  imports,
  type RowResult,
  type SheetRow,
  write,
  writeAndRollBack,
} from '../../database/index.ts'
import { personReader } from '../../web/access/person-reader.ts'
import { authorize } from '../../web/access/policy-hook.ts'
import { type Acting, actingAs } from '../../web/acting.ts'
import { notFound } from '../../web/http.ts'
import { firstSlice } from '../../web/operations/long-writes.ts'
import { findImport, type Import, isLong, readResults, readRows, type Target } from './import.ts'
import { importRow, prepareRun } from './import-row.ts'
import { revertRows } from './revert-rows.ts'

/** The last check of an installation, for as long as no record changes. */
const lastCheck = new WeakMap<Database, { key: string; results: RowResult[] }>()

/** Imports every row for real, in a transaction of its own that is rolled back; others are served in between. */
export async function dryRun(acting: Acting, target: Target, sheet: Import): Promise<RowResult[]> {
  const { db, longWrites } = acting.server
  const newest = max(changes.id)
  const state = db.select({ newest }).from(changes).get()
  const key = JSON.stringify([sheet.id, sheet.fields, sheet.key_field, sheet.replaces_prices, acting.language, state])
  const known = lastCheck.get(db)
  if (known?.key === key) return known.results
  return longWrites.run(isLong(sheet), async () => {
    const rows = await readRows(db, sheet.id)
    const run = prepareRun(acting, target, sheet, rows)
    if (rows.length > firstSlice) await nextTurn()
    const results: RowResult[] = []
    await longWrites.inSlices(acting.actor.id, rows, (slice) => {
      for (const row of slice) results.push(writeAndRollBack(db, () => importRow(run, row)))
    })
    lastCheck.set(db, { key, results })
    // The page of a long sheet takes a while, too.
    await nextTurn()
    return results
  })
}

export class ImportRejected extends Error {}

/** Saves every row or, if one is refused, none: in slices, which are taken back when a later one fails. */
export async function saveRows(acting: Acting, target: Target, sheet: Import, rows: SheetRow[]): Promise<RowResult[]> {
  const { db, longWrites } = acting.server
  const run = prepareRun(acting, target, sheet, rows)
  if (rows.length > firstSlice) await nextTurn()
  const results: RowResult[] = []
  const save = (slice: SheetRow[], isLast: boolean) =>
    write(db, () => {
      const current = reauthorizeImport(acting, target, sheet)
      const part = slice.map((row) => importRow({ ...run, acting: current }, row))
      if (part.some(({ outcome }) => outcome === 'refused')) throw new ImportRejected()
      results.push(...part)
      if (!isLast) return void db.insert(importParts).values({ import_id: sheet.id, action: 'save', results: part }).run()
      db.update(imports).set({ results, saved_at: Date.now() }).where(eq(imports.id, sheet.id)).run()
      db.delete(importParts).where(eq(importParts.import_id, sheet.id)).run()
    })
  try {
    await longWrites.inSlices(acting.actor.id, rows, save)
  } catch (error) {
    await revertParts(acting, target, sheet.id)
    throw error
  }
  return results
}

/**
 * Who acts as they are now, before a slice is written: a long import must not go on for somebody who may no longer.
 * @throws HttpError when they may not, or the import is gone
 */
export function reauthorizeImport(acting: Acting, { rule }: Target, { id }: Import): Acting {
  const current = acting.renew()
  authorize(rule, current.actor)
  if (!findImport(current.server.db, id, current.actor)) throw notFound()
  return current
}

/** Takes back the slices of an import that was not saved, or not undone, completely. What cannot be taken back is logged and stays. */
export async function revertParts(acting: Acting, target: Target, importId: number): Promise<void> {
  const { db, log } = acting.server
  const ofImport = eq(importParts.import_id, importId)
  const last = () => db.select().from(importParts).where(ofImport).orderBy(desc(importParts.id)).limit(1).get()
  for (let part = last(); part; part = last()) {
    const { id, results, action } = part
    const remove = () => db.delete(importParts).where(eq(importParts.id, id)).run()
    try {
      write(db, () => {
        const reverted = revertRows(acting, target, results)
        if (action === 'undo') replaceResults(db, importId, reverted)
        remove()
      })
    } catch (error) {
      log.error({ err: error }, 'a part of an import could not be taken back')
      write(db, remove)
    }
    await nextTurn()
  }
}

/** So that the import can still be undone. */
function replaceResults(db: Database, id: number, replaced: RowResult[]): void {
  const byRow = new Map(replaced.map((result) => [result.row, result]))
  const results = readResults(db, id)?.map((result) => byRow.get(result.row) ?? result)
  db.update(imports).set({ results }).where(eq(imports.id, id)).run()
}

/** Takes back at the start what the end of the process has interrupted: nothing stays half imported or half undone. */
export async function finishImports(app: FastifyInstance, targets: Target[]): Promise<void> {
  const findPerson = personReader(app.db)
  const unfinished = app.db.selectDistinct({ id: importParts.import_id, action: importParts.action }).from(importParts).all()
  for (const { id, action } of unfinished) {
    const sheet = app.db.select().from(imports).where(eq(imports.id, id)).get()
    const target = targets.find(({ card }) => card.list === sheet?.list)
    const actor = sheet && findPerson(sheet.user_id)
    if (!sheet || !target || !actor) continue
    app.log.warn({ import: id, action }, 'an interrupted import, or undo of one, is taken back')
    await revertParts(actingAs(app, { id: actor.id, name: `${actor.lastname} ${actor.name}` }, Date.now()), target, id)
  }
}
