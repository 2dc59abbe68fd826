import { sql } from 'drizzle-orm'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { allows, type Rule } from '../../core/access.ts'
import { contains, trash } from '../../database/index.ts'
import { action, type Done } from '../../http/action.ts'
import { refererPath, safePath, url } from '../../http/request/addresses.ts'
import type { HttpError } from '../../http/request/errors.ts'
import { template } from '../../http/request/template.ts'
import { mayReadHistory } from '../history/list.ts'
import { deletionsOf } from '../kind/registry.ts'
import { exportDescribed } from '../list/export.ts'
import type { List } from '../list/list.ts'
import { showList } from '../list/show.ts'
import { type Batch, findBatch, restoreRules } from './batch.ts'
import { RestoreRejected } from './conflicts.ts'
import { offerToRestore } from './missing.ts'
import { restoreBatch, restoreJob } from './restore-batch.ts'
import { loadTrash, sheet, type TrashRow, trashTime } from './sheet.ts'

const conflictsPage = template<{ title: string; problems: string[]; hidden: number }>('trash/restore-conflicts.njk')

export async function trashRoutes(app: FastifyInstance): Promise<void> {
  const { open, restore, list } = restoreRules(app)
  app.registry.suggestForMissing = offerToRestore(restore)
  app.registry.menu.push({
    path: '/bin',
    label: 'Recently deleted',
    icon: 'trash',
    letter: 'r',
    section: 'System',
    says: ['bin, trash, restore'],
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

function trashList(app: FastifyInstance, rule: Rule<Batch>): List<TrashRow> {
  return {
    name: 'bin',
    title: 'Recently deleted',
    empty: {
      title: 'Nothing is deleted',
      text: 'What is deleted can be restored here for 30 days.',
      way: { path: '/activity', label: 'Change history', rule: mayReadHistory },
    },
    columns: [
      { key: 'what', label: 'Deleted', kind: 'text' },
      { key: 'list', label: 'Type', kind: 'short' },
      { key: 'actor', label: 'Deleted by', kind: 'person' },
      { key: 'at', label: 'When', kind: 'recent', sort: trash.at },
      { key: 'until', label: 'Kept until', kind: 'date' },
    ],
    sizes: [25, 50, 'all'],
    sort: { key: 'at', dir: 'desc' },
    table: trash,
    baseCondition: sql`${trash.size} is not null and ${trash.restored_at} is null and ${trash.at} > unixepoch('subsec') * 1000 - ${trashTime}`,
    may: { list: rule },
    filters: [
      {
        name: 'kind',
        label: 'Type',
        options: ({ t }) => deletionsOf(app).map(({ list }) => ({ value: list.name, label: t(list.title) })),
        where: (name) => (app.records.get(name)?.deletion ? sql`${trash.list} = ${name}` : undefined),
      },
    ],
    find: (word) =>
      sql`(${trash.batch} in (select batch from trash where ${contains(sql`label`, word)}) or ${contains(sql`${trash.actor_name}`, word)})`,
    rows: { load: (ids) => loadTrash(app.db, titlesOf(app), ids), template: 'trash/rows.njk', events: true },
  }
}

/** What the records are called from which something is deleted. */
function titlesOf({ records }: FastifyInstance): ReadonlyMap<string, string> {
  return new Map([...records].flatMap(([name, { list }]) => (list ? [[name, list.title]] : [])))
}
