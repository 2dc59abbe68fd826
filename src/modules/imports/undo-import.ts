import { and, eq } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import { importParts, imports, type RowResult, write } from '../../database/index.ts'
import { authorize } from '../../web/access/policy-hook.ts'
import type { Problem } from '../../web/http.ts'
import { inSlices } from '../../web/operations/long-writes.ts'
import { isTouched, isUntouchedSince, offerRestoring, revertRows } from './revert-rows.ts'
import { type Import, readResults } from './stored.ts'
import type { Target } from './target.ts'

/** Takes an import back: deletes what it added and restores what it changed. Returns what stands in the way; then nothing is changed. */
export async function undoImport(request: FastifyRequest, target: Target, sheet: Import): Promise<Problem[]> {
  const { db } = request.server
  const touched = (readResults(db, sheet.id) ?? []).filter(isTouched).reverse()
  const begun = and(eq(importParts.import_id, sheet.id), eq(importParts.action, 'undo'))
  if (!db.select({ id: importParts.id }).from(importParts).where(begun).get()) {
    const problems = await findObstacles(request, target, touched)
    if (problems.length > 0) return problems
  }
  const batch = crypto.randomUUID()
  await request.server.longWrites.inSlices(request.actor.id, touched, (slice, isLast) =>
    write(db, () => {
      revertRows(request, target, slice, batch)
      if (!isLast) return void db.insert(importParts).values({ import_id: sheet.id, action: 'undo', results: [] }).run()
      offerRestoring(request, batch)
      db.update(imports).set({ undone_at: Date.now() }).where(eq(imports.id, sheet.id)).run()
      db.delete(importParts).where(eq(importParts.import_id, sheet.id)).run()
    }),
  )
  return []
}

async function findObstacles(request: FastifyRequest, target: Target, touched: RowResult[]): Promise<Problem[]> {
  const { server, actor } = request
  const { card, deletion } = target
  const changed: RowResult[] = []
  await inSlices(touched, (slice) => changed.push(...slice.filter((result) => !isUntouchedSince(request, target, result))))
  if (changed.length > 0)
    return changed.map(({ row, label }) => ({
      message: 'Row {row}: {name} has been changed since the import.',
      params: { row, name: label },
    }))
  const added = touched.flatMap(({ outcome, id }) => (outcome === 'new' ? [id as number] : []))
  const dependents = deletion.consequences(server.db, added).filter(([, count]) => count > 0)
  if (dependents.length > 0) return dependents.map(([message, count]) => ({ message, params: { count } }))
  await inSlices(touched, (slice) => {
    for (const { outcome, id } of slice)
      authorize(outcome === 'new' ? deletion.rule : card.may.edit, actor, card.find(server.db, id as number))
  })
  return []
}
