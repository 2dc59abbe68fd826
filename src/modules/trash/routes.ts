import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { allows } from '../../core/access.ts'
import { RestoreConflictError, restoreRecords } from '../../database/restore-records.ts'
import { writeRecord } from '../../web/access/policy-hook.ts'
import { flash } from '../../web/flash.ts'
import { authorOf, refererPath, safePath, url } from '../../web/http.ts'
import { showList } from '../../web/list/show.ts'
import { page } from '../../web/view/page.ts'
import { restoreRules } from './access.ts'
import { type Batch, findBatch, markRestored, recordsOf } from './batch.ts'
import { trashList } from './list.ts'
import { describeConflicts } from './restore-conflicts.ts'

const conflictsPage = page<{ title: string; problems: string[]; more: number }>('trash/restore-conflicts.njk')

export async function trashRoutes(app: FastifyInstance): Promise<void> {
  const { open, restore, list } = restoreRules(app)
  app.menu.push({ path: '/bin', label: 'Recently deleted', icon: 'trash', group: 'System', rule: open, may: { list: open, restore } })

  app.get('/bin', { access: open }, showList(trashList(app, list)))
  app.post('/bin/:id/restore', { access: restore, record: findBatch }, restoreBatch)
}

function restoreBatch(request: FastifyRequest, reply: FastifyReply) {
  try {
    const { label, size, list } = writeRecord(request, (batch: Batch) => restoreBatchRecords(request, batch))
    flash(request, size === 1 ? 'Restored: {name}' : '{count} records restored', { name: label, count: size })
    return reply.redirect(returnPath(request, list), 303)
  } catch (error) {
    if (!(error instanceof RestoreConflictError)) throw error
    const title = request.t('This cannot be restored yet. Nothing was changed.')
    return reply.code(409).page(conflictsPage, { title, ...describeConflicts(request, error.conflicts) })
  }
}

function restoreBatchRecords(request: FastifyRequest, batch: Batch): Batch {
  const { db, deletions } = request.server
  if (batch.restored_at !== null) return batch
  const trashed = recordsOf(db, batch)
  const rows = trashed.map(({ removed }) => removed.rows[0]?.row ?? {})
  const deletion = deletions.get(batch.list)
  restoreRecords(db, trashed, deletion?.restoreConflicts?.(db, rows) ?? [], authorOf(request))
  deletion?.restored?.(
    request,
    trashed.map((record) => record.record_id),
  )
  markRestored(db, batch)
  return batch
}

function returnPath(request: FastifyRequest, list: string): string {
  const { actor, server } = request
  const fallback = allows(server.deletions.get(list)?.list.may.list ?? [], actor) ? `/${list}` : '/'
  const from = refererPath(request)
  return safePath(server, from?.includes('/bin/') ? undefined : from, url(server, fallback))
}
