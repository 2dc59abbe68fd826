import { getTableName } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { eachInTurn } from '../../concurrency/each-in-turn.ts'
import type { Rule } from '../../core/access.ts'
import { recordLabelFor } from '../../core/default-workflow.ts'
import { closeBatch, deletePart, restorableBatch } from '../../database/delete-records.ts'
import { type Author, countReferencing, type Database, type RecordTable, type StoredRow, writeAndRollBack } from '../../database/index.ts'
import { findLabels } from '../../database/references.ts'
import type { RestoreConflict } from '../../database/restore-records.ts'
import { authorize } from '../../http/access/authorize.ts'
import { requireRecentPassword } from '../../http/access/recent-password.ts'
import { action, type Done } from '../../http/action.ts'
import { url } from '../../http/request/addresses.ts'
import type { Context } from '../../http/request/context.ts'
import { HttpError } from '../../http/request/errors.ts'
import { bodyOf, queryOf } from '../../http/request/input.ts'
import { type Fragment, loadFragment, type RenderedFragment, template } from '../../http/request/template.ts'
import { SentOtherwise } from '../../http/submissions/idempotency.ts'
import { attemptAll, named } from '../jobs/attempt-all.ts'
import { addJob, batchOf, bulkLimit, type JobKind } from '../jobs/job.ts'
import type { AnyList } from './list.ts'
import { authorizedRecords, hasChanged, selectedIds, selectionFields } from './selection.ts'
import { sendList } from './show.ts'
import { listAddress, stateFor } from './state.ts'

interface Confirmation {
  title: string
  list: string
  action: string
  names: string[]
  /** How many are not among these. */
  unnamed: number
  consequences: [text: string, count: number][]
  fields: (string | number)[][]
  back: string
  once: string
  notice?: string
  refused: boolean
  asks?: RenderedFragment & { data: { blocked?: boolean } }
}

const confirmationPage = template<Confirmation>('pages/confirm-deletion.njk')

export interface Refusal {
  ids: number[]
  /** A text that names them: `{names}`. */
  reason: string
}

export interface Deletion<R extends { id: number }> {
  list: AnyList
  table: RecordTable
  rule: Rule<R>
  find: (db: Database, id: number) => R | undefined
  question: string
  done: string
  /** One at a time. */
  single?: boolean
  /** What is told of rows that refer to the records by a column: they go along, or lose what they refer to. */
  consequences?: readonly (readonly [text: string, column: SQLiteColumn])[]
  /** Which of the records are never deleted, for now: their deletion is not offered, and they are named in the reason. */
  refusal?: (context: Context, ids: number[]) => Refusal
  asks?: Fragment<[FastifyRequest, number[], URLSearchParams]>
  /** Runs inside the transaction before the deletion and returns an obstacle to ask about. */
  before?: (context: Context, ids: number[], body: URLSearchParams) => HttpError | undefined
  /** Runs inside the transaction after records were deleted, restored, or either was undone. */
  changed?: (db: Database, ids: number[], author: Author) => void
  factsOf?: (db: Database, row: StoredRow) => R
  /** Runs inside the transaction after records were restored. */
  restored?: (context: Context, ids: number[]) => void
  restoreConflicts?: (db: Database, rows: StoredRow[]) => RestoreConflict[]
}

/** What a module says of a deletion: the rest is that of list and card. */
export type DeletionPart<R extends { id: number }> = Omit<Deletion<R>, 'list' | 'table' | 'rule' | 'find'>

// biome-ignore lint/suspicious/noExplicitAny: records of every kind
export type AnyDeletion = Deletion<any>

export function deletionRoutes(app: FastifyInstance, deletion: AnyDeletion): void {
  const path = `/${deletion.list.name}/delete`
  app.registry.jobKinds.set('delete', deletionJob)
  app.get(path, { access: deletion.rule }, confirmDeletion(deletion))
  app.post(
    path,
    action(
      { access: deletion.rule },
      {
        prepare: (request) => checkedSelection(request, deletion, bodyOf(request)),
        perform: (request, _, ids) => performDeletion(request, deletion, ids),
        showAgain: (request, reply, _, problem) => renderConfirmation(request, reply, deletion, bodyOf(request), noticeOf(problem)),
      },
    ),
  )
}

function confirmDeletion(deletion: AnyDeletion) {
  return (request: FastifyRequest, reply: FastifyReply) => renderConfirmation(request, reply, deletion, queryOf(request))
}

const passwordThreshold = 100
const shownNames = 10
const shownRefused = 5

/** Something to ask about before anything is deleted. */
class Obstacle extends HttpError {}

/** @throws `problem`, where there is nothing to ask about */
function noticeOf(problem: HttpError): HttpError | undefined {
  if (problem instanceof Obstacle) return problem
  if (problem instanceof SentOtherwise) return undefined
  throw problem
}

function performDeletion(request: FastifyRequest, deletion: AnyDeletion, ids: number[]): Done {
  const { server, t } = request
  const { list } = deletion
  const body = bodyOf(request)
  if (ids.length > bulkLimit) return { location: addDeletion(request, deletion, ids, body) }
  const batch = crypto.randomUUID()
  deleteInto(batch, request, deletion, ids, body)
  const undo = { action: url(server, `/bin/${closeBatch(server.db, batch)}/restore`) }
  const count = ids.length
  const [name] = namesOf(request, deletion, ids.slice(0, 1))
  const text = count === 1 ? '{name} deleted' : deletion.done
  return {
    location: listAddress(request, list, body),
    message: [text, { count, name }, { undo }],
    fragment: (reply) =>
      sendList(request, reply, list, stateFor(request, list, body), { message: { text: t(text, { count, name }), undo } }),
  }
}

/** Deletes all of them into a batch of the trash, or throws what stands in the way. */
function deleteInto(batch: string, context: Context, deletion: AnyDeletion, ids: number[], body: URLSearchParams): void {
  const { db } = context.server
  authorizedRecords(context, deletion, ids)
  const problem = deletion.before?.(context, ids, body) ?? findRefusal(context, deletion, ids)
  if (problem) throw new Obstacle(problem.status, problem.message, problem.params)
  deletePart(db, batch, { ...deletion, list: deletion.list.name }, ids, context.author)
  deletion.changed?.(db, ids, context.author)
}

interface ManyDeleted {
  ids: number[]
  /** What the confirmation said besides. */
  body: string
  /** The address of the list as it was. */
  back: string
}

function addDeletion(context: Context, deletion: AnyDeletion, ids: number[], body: URLSearchParams): string {
  const { db } = context.server
  // What is asked of all of them, such as who takes their work over, cannot be asked of a part.
  const problem = writeAndRollBack(db, () => deletion.before?.(context, ids, body)) ?? findRefusal(context, deletion, ids)
  if (problem) throw new Obstacle(problem.status, problem.message, problem.params)
  const said = [...body].filter(([name]) => name !== 'id')
  const payload: ManyDeleted = { ids, body: String(new URLSearchParams(said)), back: listAddress(context, deletion.list, body) }
  return addJob(context, { kind: 'delete', list: deletion.list.name, total: ids.length, payload })
}

const deletionJob: JobKind<ManyDeleted> = {
  perform(context, job, size) {
    const deletion = context.server.records.get(job.list)?.deletion as AnyDeletion
    authorize(deletion.rule, context.actor)
    const ids = job.payload.ids.slice(job.done, job.done + size)
    const body = new URLSearchParams(job.payload.body)
    const refused = attemptAll(context, ids, (some) => deleteInto(batchOf(job), context, deletion, some, body))
    return { done: ids.length, skipped: named(context, deletion.table, refused) }
  },
  end: ({ db }, job) => void closeBatch(db, batchOf(job)),
  links({ server }, job) {
    const id = restorableBatch(server.db, batchOf(job))
    return { back: job.payload.back, undo: id === undefined ? undefined : { action: url(server, `/bin/${id}/restore`) } }
  },
}

async function checkedSelection(context: Context, deletion: AnyDeletion, body: URLSearchParams): Promise<number[]> {
  const ids = await selectedIds(context, deletion.list, body)
  if (ids.length > passwordThreshold) requireRecentPassword(context)
  if (deletion.single && ids.length > 1) throw new HttpError(422, 'Delete these one at a time.')
  if (hasChanged(body, ids)) throw new Obstacle(409, 'The list has changed. Review it and try again.')
  if (ids.length > bulkLimit) await eachInTurn(ids, (id) => void authorizedRecords(context, deletion, [id]))
  return ids
}

async function renderConfirmation(
  request: FastifyRequest,
  reply: FastifyReply,
  deletion: AnyDeletion,
  source: URLSearchParams,
  notice?: HttpError,
) {
  const { db } = request.server
  const { list } = deletion
  const ids = await selectedIds(request, list, source)
  await eachInTurn(ids, (id) => void authorizedRecords(request, deletion, [id]))
  const refusal = findRefusal(request, deletion, ids)
  const problem = notice ?? refusal
  return reply.page(confirmationPage, {
    title: request.t(deletion.question, { count: ids.length }),
    list: list.name,
    action: url(request.server, `/${list.name}/delete`),
    names: namesOf(request, deletion, ids.slice(0, shownNames)),
    unnamed: ids.length - shownNames,
    consequences: countConsequences(db, deletion, ids),
    fields: selectionFields(request, list, source, ids),
    back: listAddress(request, list, source),
    once: crypto.randomUUID(),
    notice: problem && request.t(problem),
    refused: refusal !== undefined,
    asks: deletion.asks && loadFragment(deletion.asks, request, ids, source),
  })
}

/** Why some of the records are not deleted, if any are not. */
export function findRefusal(context: Context, deletion: AnyDeletion | undefined, ids: number[]): HttpError | undefined {
  if (!deletion?.refusal) return undefined
  const { ids: refused, reason } = deletion.refusal(context, ids)
  if (refused.length === 0) return undefined
  const names = namesOf(context, deletion, refused.slice(0, shownRefused)).join(', ')
  return new HttpError(422, reason, { names })
}

/** What records are called: those that are gone, as they were last. */
function namesOf({ server: { db }, language }: Context, { list, table }: AnyDeletion, ids: number[]): string[] {
  const labels = findLabels(db, getTableName(table), ids)
  return ids.map((id) => recordLabelFor(language, list.name, labels.get(id) ?? ''))
}

export function countConsequences(db: Database, { consequences = [] }: AnyDeletion, ids: number[]): [text: string, count: number][] {
  const counted = consequences.map(([text, column]): [string, number] => [text, countReferencing(db, column, ids)])
  return counted.filter(([, count]) => count > 0)
}
