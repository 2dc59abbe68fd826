import type { FastifyRequest } from 'fastify'
import { deleteRecords } from '../../database/delete-records.ts'
import type { RowResult } from '../../database/schema/index.ts'
import { authorize } from '../../web/access/policy-hook.ts'
import { authorOf, type Problem } from '../../web/http.ts'
import type { Target } from './target.ts'

/** Deletes what an import added and restores what it changed, or returns what prevents it. Call it inside `write`. */
export function undoImport(request: FastifyRequest, { card, deletion }: Target, results: RowResult[]): Problem[] {
  const { server, actor } = request
  const touched = results.filter(({ outcome }) => outcome === 'new' || outcome === 'changed')
  const records = touched.map(({ id }) => card.find(server.db, id as number))
  const changed = touched.filter(({ version }, at) => records[at]?.version !== version)
  if (changed.length > 0)
    return changed.map(({ row, label }) => ({
      message: 'Row {row}: {name} has been changed since the import.',
      params: { row, name: label },
    }))
  const added = touched.flatMap(({ outcome, id }) => (outcome === 'new' ? [id as number] : []))
  const dependents = deletion.consequences(server.db, added).filter(([, count]) => count > 0)
  if (dependents.length > 0) return dependents.map(([message, count]) => ({ message, params: { count } }))
  for (const [at, { outcome, before }] of touched.entries()) {
    authorize(outcome === 'new' ? deletion.rule : card.may.edit, actor, records[at])
    if (outcome === 'changed') card.save(request, records[at], before as object)
  }
  if (added.length > 0) deleteRecords(server.db, { ...deletion, list: card.list }, added, authorOf(request))
  return []
}
