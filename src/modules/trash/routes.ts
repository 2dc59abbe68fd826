import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { allows, type Rule } from '../../core/access.ts'
import { findLabels } from '../../database/references.ts'
import { type RestoreConflict, RestoreConflictError } from '../../database/restore-records.ts'
import { onRecord } from '../../web/access/record-routes.ts'
import type { Acting } from '../../web/acting.ts'
import { columnLabel } from '../../web/history/entries.ts'
import { flash, refererPath, safePath, template, url } from '../../web/http.ts'
import { exportDescribed } from '../../web/list/export.ts'
import { showList } from '../../web/list/show.ts'
import { undoUnfinishedBatches } from '../../web/list/unfinished-batches.ts'
import { firstSlice, keepConnection } from '../../web/operations/long-writes.ts'
import { type Batch, findBatch, restoreRules } from './batch.ts'
import { titlesOf, trashList } from './list.ts'
import { restoreBatch } from './restore-batch.ts'
import { sheet } from './sheet.ts'

const conflictsPage = template<{ title: string; problems: string[]; more: number }>('trash/restore-conflicts.njk')

export async function trashRoutes(app: FastifyInstance): Promise<void> {
  const { open, restore, list } = restoreRules(app)
  app.menu.push({ path: '/bin', label: 'Recently deleted', icon: 'trash', group: 'System', rule: open, may: { list: open, restore } })

  const trashed = trashList(app, list)
  app.get('/bin', { access: open }, showList(trashed))
  app.get('/bin/export', { access: open, answers: 'spreadsheet' }, (request, reply) =>
    exportDescribed(trashed, sheet, titlesOf(app))(request, reply),
  )
  app.post('/bin/:id/restore', onRecord({ access: restore, record: findBatch }, restoreFromTrash(restore)))
  app.addHook('onReady', () => undoUnfinishedBatches(app))
}

function restoreFromTrash(rule: Rule<Batch>) {
  return async (request: FastifyRequest, reply: FastifyReply, batch: Batch) => {
    const isLong = batch.size > firstSlice
    try {
      if (isLong) keepConnection(request)
      const { label, size, list } = await request.server.longWrites.run(isLong, () => restoreBatch(request, rule, batch))
      flash(request, size === 1 ? 'Restored: {name}' : '{count} records restored', { name: label, count: size })
      return reply.redirect(returnPath(request, list), 303)
    } catch (error) {
      if (!(error instanceof RestoreConflictError)) throw error
      const title = request.t('This cannot be restored yet. Nothing was changed.')
      return reply.code(409).page(conflictsPage, { title, ...describeConflicts(request, error.conflicts) })
    }
  }
}

function returnPath(request: FastifyRequest, list: string): string {
  const { actor, server } = request
  const fallback = allows(server.lists.get(list)?.may.list ?? [], actor) ? `/${list}` : '/'
  const from = refererPath(request)
  return safePath(server, from?.includes('/bin/') ? undefined : from, url(server, fallback))
}

const conflictTexts: Record<RestoreConflict['reason'], string> = {
  taken: '{name}: another record now has the same value ({fields}).',
  missing: '{name}: "{other}" no longer exists ({fields}).',
  changed: '{name}: the value was changed in "{other}" in the meantime ({fields}).',
}

const conflictLimit = 20

function describeConflicts(acting: Acting, conflicts: RestoreConflict[]): { problems: string[]; more: number } {
  const problems = [...new Set(conflicts.slice(0, conflictLimit).map((conflict) => describeConflict(acting, conflict)))]
  return { problems, more: Math.max(0, conflicts.length - conflictLimit) }
}

function describeConflict({ server, t }: Acting, { reason, label, table, columns, other }: RestoreConflict): string {
  const fields = columns.map((column) => t(columnLabel(server, table, column))).join(', ')
  return t(conflictTexts[reason], {
    name: label,
    fields,
    other: other && (findLabels(server.db, other.table, [other.id]).get(other.id) ?? `#${other.id}`),
  })
}
