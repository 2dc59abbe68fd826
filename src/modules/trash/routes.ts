import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { allows, type Rule } from '../../core/access.ts'
import { onRecord, writeRecord } from '../../web/access/record-routes.ts'
import { refererPath, safePath, url } from '../../web/addresses.ts'
import { flash } from '../../web/flash.ts'
import { exportDescribed } from '../../web/list/export.ts'
import { showList } from '../../web/list/show.ts'
import { template } from '../../web/view/template.ts'
import { type Batch, findBatch, restoreRules } from './batch.ts'
import { describeConflicts } from './conflicts.ts'
import { titlesOf, trashList } from './list.ts'
import { restoreBatch, restoreJob } from './restore-batch.ts'
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
  app.jobKinds.set('restore', restoreJob(restore))
}

function restoreFromTrash(rule: Rule<Batch>) {
  return (request: FastifyRequest, reply: FastifyReply, named: Batch) => {
    const { label, size, list } = named
    try {
      const job = writeRecord(request, named, (batch) => restoreBatch(request, rule, batch))
      if (job) return reply.redirect(job, 303)
      flash(request, size === 1 ? 'Restored: {name}' : '{count} records restored', { name: label, count: size })
      return reply.redirect(returnPath(request, list), 303)
    } catch (error) {
      const conflicts = describeConflicts(request, error)
      if (!conflicts) throw error
      const title = request.t('This cannot be restored yet. Nothing was changed.')
      return reply.code(409).page(conflictsPage, { title, ...conflicts })
    }
  }
}

function returnPath(request: FastifyRequest, list: string): string {
  const { actor, server } = request
  const fallback = allows(server.lists.get(list)?.may.list ?? [], actor) ? `/${list}` : '/'
  const from = refererPath(request)
  return safePath(server, from?.includes('/bin/') ? undefined : from, url(server, fallback))
}
