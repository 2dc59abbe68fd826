import { asc, sql } from 'drizzle-orm'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { allows, type Rule } from '../../core/access.ts'
import { closeBatch } from '../../database/delete-records.ts'
import { contains, type Database, trash, whereIn } from '../../database/index.ts'
import { findLabels } from '../../database/references.ts'
import { type RestoreConflict, restoreRecords, type TrashedRecord } from '../../database/restore-records.ts'
import { authorize } from '../../http/access/authorize.ts'
import { action, type Done } from '../../http/action.ts'
import { refererPath, safePath, url } from '../../http/request/addresses.ts'
import type { Context } from '../../http/request/context.ts'
import { HttpError } from '../../http/request/errors.ts'
import { template } from '../../http/request/template.ts'
import { rowsOf } from '../fields/index.ts'
import type { Form } from '../form/form.ts'
import { historyFields } from '../history/entries.ts'
import { mayReadHistory } from '../history/list.ts'
import { attemptAll, describeRefusal } from '../jobs/attempt-all.ts'
import { addJob, bulkLimit, type JobKind } from '../jobs/job.ts'
import { cardsOf, deletionsOf } from '../kind/registry.ts'
import { exportDescribed } from '../list/export.ts'
import type { List } from '../list/list.ts'
import { showList } from '../list/show.ts'
import { type Batch, findBatch, moveUnrestored, recordIdsOf, restoreRules } from './batch.ts'
import { loadTrash, sheet, type TrashRow, trashTime } from './sheet.ts'

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

interface ManyRestored {
  /** The first record of the batch. */
  batch: number
  /** Records of the trash, from the end. */
  ids: number[]
}

/**
 * Restores the records of a batch, or none of them; very many become a job. Call it inside `write`.
 * @param rule who may restore what
 * @returns the address of the job
 * @throws RestoreRejected when something no longer fits, HttpError when this person may not
 */
function restoreBatch(context: Context, rule: Rule<Batch>, batch: Batch): string | undefined {
  const { db } = context.server
  if (batch.restored_at !== null) return
  const ids = recordIdsOf(db, batch)
  if (ids.length <= bulkLimit) return restore(context, rule, batch, ids)
  const payload: ManyRestored = { batch: batch.id, ids }
  return addJob(context, { kind: 'restore', list: batch.list, subject: `bin ${batch.id}`, total: ids.length, payload })
}

/** Asks for the right to these records only: that to the whole batch would take longer than restoring them. */
function restore(context: Context, rule: Rule<Batch>, batch: Batch, ids: number[]): undefined {
  const { db, records } = context.server
  const deletion = records.get(batch.list)?.deletion
  const trashed = findTrashed(db, ids)
  const rows = trashed.map(({ removed }) => removed.rows[0]?.row ?? {})
  authorize(rule, context.actor, { ...batch, facts: rows })
  const conflicts = restoreRecords(db, trashed, deletion?.restoreConflicts?.(db, rows) ?? [], context.author)
  if (conflicts.length > 0) throw new RestoreRejected(context, conflicts)
  const restored = trashed.map(({ record_id }) => record_id)
  deletion?.restored?.(context, restored)
  deletion?.changed?.(db, restored, context.author)
  markRestored(db, ids)
}

/** What no longer fits stays in the trash, as a batch of its own. */
const restoreJob = (rule: Rule<Batch>): JobKind<ManyRestored> => ({
  perform(context, job, size) {
    const { db } = context.server
    authorize(rule, context.actor)
    const ids = job.payload.ids.slice(job.done, job.done + size)
    const batch = findBatch(db, job.payload.batch)
    if (!batch) return { done: job.total - job.done }
    const waiting = findTrashed(db, ids).filter(({ restored_at }) => restored_at === null)
    const names = new Map(waiting.map(({ id, record_id, label }) => [id, { id: record_id, label }]))
    const refused = attemptAll(context, [...names.keys()].reverse(), (some) => restore(context, rule, batch, some), reasonFor(context))
    return { done: ids.length, skipped: refused.map(({ id, reason }) => ({ ...(names.get(id) as { id: number; label: string }), reason })) }
  },
  end({ db }: FastifyInstance, { payload }): undefined {
    const batch = findBatch(db, payload.batch)
    const rest = batch && moveUnrestored(db, batch)
    if (rest) closeBatch(db, rest)
  },
  links: ({ server }, { list }) => ({ back: url(server, `/${list}`) }),
})

function reasonFor(context: Context) {
  return (error: unknown) => (error instanceof RestoreRejected ? error.problems.join(' ') : describeRefusal(context)(error))
}

const conflictTexts: Record<RestoreConflict['reason'], string> = {
  taken: '{name}: another record now has the same value ({fields}).',
  missing: '{name}: "{other}" no longer exists ({fields}).',
  changed: '{name}: the value was changed in "{other}" in the meantime ({fields}).',
}

const conflictLimit = 20

/** Something no longer fits, and nothing was restored. */
class RestoreRejected extends HttpError {
  readonly problems: string[]
  /** How many are not among these. */
  readonly hidden: number
  constructor(context: Context, conflicts: RestoreConflict[]) {
    super(409, 'This cannot be restored yet. Nothing was changed.')
    this.problems = [...new Set(conflicts.slice(0, conflictLimit).map((conflict) => describeConflict(context, conflict)))]
    this.hidden = Math.max(0, conflicts.length - conflictLimit)
  }
}

function describeConflict({ server, t }: Context, { reason, label, table, columns, other }: RestoreConflict): string {
  const fields = columns.map((column) => t(columnLabel(server, table, column))).join(', ')
  return t(conflictTexts[reason], {
    name: label,
    fields,
    other: other && (findLabels(server.db, other.table, [other.id]).get(other.id) ?? `#${other.id}`),
  })
}

function columnLabel(app: Pick<FastifyInstance, 'records' | 'registry'>, entity: string, column: string): string {
  const forms: Form[] = cardsOf(app).map(({ form }) => form)
  const rows = forms.flatMap(({ fields }) => Object.values(fields).map((field) => field && rowsOf(field)[column]))
  return historyFields(app, entity).get(column)?.label ?? rows.find(Boolean)?.label ?? column
}

function findTrashed(db: Database, ids: number[]): TrashedRecord[] {
  return db.select().from(trash).where(whereIn(trash.id, ids)).orderBy(asc(trash.id)).all()
}

function markRestored(db: Database, ids: number[]): void {
  db.update(trash).set({ restored_at: Date.now() }).where(whereIn(trash.id, ids)).run()
}
