import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { allows, type Rule } from '../../core/access.ts'
import { action, type Done } from '../../http/action.ts'
import { refererPath, safePath, url } from '../../http/request/addresses.ts'
import type { HttpError } from '../../http/request/errors.ts'
import { template } from '../../http/request/template.ts'
import { exportDescribed } from '../list/export.ts'
import { showList } from '../list/show.ts'
import { type Batch, findBatch, restoreRules } from './batch.ts'
import { RestoreRejected } from './conflicts.ts'
import { titlesOf, trashList } from './list.ts'
import { restoreBatch, restoreJob } from './restore-batch.ts'
import { sheet } from './sheet.ts'

const conflictsPage = template<{ title: string; problems: string[]; hidden: number }>('trash/restore-conflicts.njk')

export async function trashRoutes(app: FastifyInstance): Promise<void> {
  const { open, restore, list } = restoreRules(app)
  app.registry.menu.push({
    path: '/bin',
    label: 'Recently deleted',
    icon: 'trash',
    section: 'System',
    rule: open,
    may: { list: open, restore },
  })

  const trashed = trashList(app, list)
  app.get('/bin', { access: open }, showList(trashed))
  app.get('/bin/export', { access: open, answers: 'spreadsheet' }, (request, reply) =>
    exportDescribed(trashed, sheet, titlesOf(app))(request, reply),
  )
  app.post(
    '/bin/:id/restore',
    action({ access: restore, record: findBatch }, { perform: restoreFromTrash(restore), showAgain: showConflicts }),
  )
  app.registry.jobKinds.set('restore', restoreJob(restore))
}

function restoreFromTrash(rule: Rule<Batch>) {
  return (request: FastifyRequest, batch: Batch): Done => {
    const job = restoreBatch(request, rule, batch)
    if (job) return { location: job }
    const { label: name, size: count, list } = batch
    return {
      location: returnPath(request, list),
      message: [count === 1 ? 'Restored: {name}' : '{count} records restored', { name, count }],
    }
  }
}

function showConflicts({ t }: FastifyRequest, reply: FastifyReply, _: Batch, problem: HttpError) {
  if (!(problem instanceof RestoreRejected)) throw problem
  const { message, problems, hidden } = problem
  return reply.page(conflictsPage, { title: t(message), problems, hidden })
}

function returnPath(request: FastifyRequest, list: string): string {
  const { actor, server } = request
  const fallback = allows(server.records.get(list)?.list?.may.list ?? [], actor) ? `/${list}` : '/'
  const from = refererPath(request)
  return safePath(server, from?.includes('/bin/') ? undefined : from, url(server, fallback))
}
