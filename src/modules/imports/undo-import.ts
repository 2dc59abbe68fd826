import { setImmediate as nextTurn } from 'node:timers/promises'
import { eq } from 'drizzle-orm'
import { write } from '../../database/open.ts'
import { importParts, imports, type RowResult } from '../../database/schema/index.ts'
import { authorize } from '../../web/access/policy-hook.ts'
import type { Acting } from '../../web/acting.ts'
import type { Problem } from '../../web/http.ts'
import { countConsequences } from '../../web/list/deletion.ts'
import { noteUnfinished, undoDeletion } from '../../web/list/unfinished-batches.ts'
import { firstSlice, inSlices } from '../../web/operations/long-writes.ts'
import { type Import, readResults, type Target } from './import.ts'
import { reauthorizeImport, revertParts } from './import-sheet.ts'
import { isTouched, isUntouchedSince, offerRestoring, revertRows } from './revert-rows.ts'

/** Takes an import back: deletes what it added and restores what it changed. Returns what stands in the way; then nothing is changed. */
export async function undoImport(acting: Acting, target: Target, sheet: Import): Promise<Problem[]> {
  const { server } = acting
  const { db, longWrites } = server
  const touched = (readResults(db, sheet.id) ?? []).filter(isTouched).reverse()
  if (touched.length > firstSlice) await nextTurn()
  const problems = await findObstacles(acting, target, touched)
  if (problems.length > 0) return problems
  const batch = crypto.randomUUID()
  const undo = (slice: RowResult[], isLast: boolean) =>
    write(db, () => {
      const current = reauthorizeImport(acting, target, sheet)
      for (const { outcome, id } of slice)
        authorize(outcome === 'new' ? target.deletion.rule : target.card.may.edit, current.actor, target.card.find(db, id as number))
      const results = revertRows(current, target, slice, batch)
      if (slice.length < touched.length) noteUnfinished(db, batch, 'delete', isLast)
      if (!isLast) return void db.insert(importParts).values({ import_id: sheet.id, action: 'undo', results }).run()
      offerRestoring(current, batch)
      db.update(imports).set({ undone_at: Date.now() }).where(eq(imports.id, sheet.id)).run()
      db.delete(importParts).where(eq(importParts.import_id, sheet.id)).run()
    })
  try {
    await longWrites.inSlices(acting.actor.id, touched, undo)
  } catch (error) {
    await undoDeletion(server, batch)
    await revertParts(acting, target, sheet.id)
    throw error
  }
  return []
}

async function findObstacles(acting: Acting, target: Target, touched: RowResult[]): Promise<Problem[]> {
  const changed: RowResult[] = []
  await inSlices(touched, (slice) => changed.push(...slice.filter((result) => !isUntouchedSince(acting, target, result))))
  if (changed.length > 0)
    return changed.map(({ row, label }) => ({
      message: 'Row {row}: {name} has been changed since the import.',
      params: { row, name: label },
    }))
  const added = touched.flatMap(({ outcome, id }) => (outcome === 'new' ? [id as number] : []))
  const refused = target.deletion.before?.(acting, added, new URLSearchParams())
  if (refused) return [refused]
  const dependents = await countConsequences(acting.server.db, target.deletion, added)
  return dependents.map(([message, count]) => ({ message, params: { count } }))
}
