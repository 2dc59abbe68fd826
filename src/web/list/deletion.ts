import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Rule } from '../../core/access.ts'
import { recordLabelFor } from '../../core/default-workflow.ts'
import { closeBatch, deletePart } from '../../database/delete-records.ts'
import { type Author, type Database, type RecordTable, type StoredRow, write } from '../../database/index.ts'
import type { RestoreConflict } from '../../database/restore-records.ts'
import { requireRecentPassword } from '../access/policy-hook.ts'
import type { Acting } from '../acting.ts'
import {
  bodyOf,
  type Fragment,
  flash,
  HttpError,
  loadFragment,
  queryOf,
  type RenderedFragment,
  template,
  url,
  wantsFragment,
} from '../http.ts'
import { bulkLimit, firstSlice, inSlices, keepConnection } from '../operations/long-writes.ts'
import { findSubmission, oneAtATimePerSubmission, recordSubmission, SentOtherwise } from '../submissions/idempotency.ts'
import { stateFor } from './remembered.ts'
import { authorizedRecords, hasChanged, selectedIds, selectionFields } from './selection.ts'
import { loadBelow, sendList } from './send-list.ts'
import { type AnyList, stateQuery } from './state.ts'
import { noteUnfinished, undoDeletion } from './unfinished-batches.ts'

interface Confirmation {
  title: string
  list: string
  action: string
  names: string[]
  more: number
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
  labelOf: (row: StoredRow) => string
  question: string
  done: string
  /** Of a part of the records; those of all parts are added up. */
  consequences: (db: Database, ids: number[]) => [text: string, count: number][]
  /** Which of the records are never deleted, for now: their deletion is not offered, and they are named in the reason. */
  refusal?: (acting: Acting, ids: number[]) => Refusal
  asks?: Fragment<[FastifyRequest, number[], URLSearchParams]>
  /** Such a deletion writes more than can be undone: it is one transaction, however many records there are. */
  whole?: true
  /** Runs inside the transaction before the deletion and returns an obstacle to ask about. */
  before?: (acting: Acting, ids: number[], body: URLSearchParams) => HttpError | undefined
  /** Runs inside the transaction after records were deleted, restored, or either was undone. */
  changed?: (db: Database, ids: number[], author: Author) => void
  factsOf?: (db: Database, row: StoredRow) => R
  /** Runs inside the transaction after records were restored. */
  restored?: (acting: Acting, ids: number[]) => void
  restoreConflicts?: (db: Database, rows: StoredRow[]) => RestoreConflict[]
}

// biome-ignore lint/suspicious/noExplicitAny: records of every kind
export type AnyDeletion = Deletion<any>

declare module 'fastify' {
  interface FastifyInstance {
    deletions: Map<string, AnyDeletion>
  }
}

export function deletionRoutes(app: FastifyInstance, path: string, deletion: AnyDeletion): void {
  app.deletions.set(deletion.list.name, deletion)
  app.get(path, { access: deletion.rule }, confirmDeletion(deletion))
  app.post(path, { access: deletion.rule }, performDeletion(deletion))
}

function confirmDeletion(deletion: AnyDeletion) {
  return (request: FastifyRequest, reply: FastifyReply) => renderConfirmation(request, reply, deletion, queryOf(request))
}

const passwordThreshold = 100
const shownNames = 10
const shownRefused = 5

/** Something to ask about before anything is deleted. */
class Obstacle extends Error {
  readonly problem: HttpError
  constructor(problem: HttpError) {
    super(problem.message)
    this.problem = problem
  }
}

function performDeletion(deletion: AnyDeletion) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const body = bodyOf(request)
    const isLong = body.get('all') === '1' || body.getAll('id').length > firstSlice
    try {
      const { longWrites } = request.server
      if (isLong) keepConnection(request)
      const remove = () => longWrites.run(isLong, () => deleteSelected(request, deletion, body))
      const deleted = await oneAtATimePerSubmission(request, remove)
      if (!deleted) return reply.redirect(listAddress(request, deletion, body), 303)
      return respondDeleted(request, reply, deletion, body, deleted)
    } catch (error) {
      if (error instanceof SentOtherwise) return renderConfirmation(request, reply.code(error.status), deletion, body)
      if (!(error instanceof Obstacle)) throw error
      return renderConfirmation(request, reply.code(error.problem.status), deletion, body, error.problem)
    }
  }
}

/** @returns nothing when the same body has done it before */
async function deleteSelected(request: FastifyRequest, deletion: AnyDeletion, body: URLSearchParams) {
  const { server, actor } = request
  const { db, longWrites } = server
  // Another one may have been waited for.
  request.reauthorize()
  if (findSubmission(request, body)) return
  const ids = await checkedSelection(request, deletion, body)
  if (ids.length > bulkLimit) await inSlices(ids, (slice) => void authorizedRecords(request, deletion, slice))
  const batch = crypto.randomUUID()
  const facts = new Map<string, StoredRow>()
  let trashId = 0
  let label = ''
  const remove = (slice: number[], isLast: boolean) =>
    write(db, () => {
      request.reauthorize()
      const [record] = authorizedRecords(request, deletion, slice)
      label = deletion.labelOf(record)
      const problem = deletion.before?.(request, slice, body) ?? findRefusal(request, deletion, slice)
      if (problem) throw new Obstacle(problem)
      const removed = deletePart(db, batch, { ...deletion, list: deletion.list.name }, slice, request.author)
      deletion.changed?.(db, slice, request.author)
      for (const row of removed) facts.set(JSON.stringify(row), row)
      if (slice.length < ids.length) noteUnfinished(db, batch, 'delete', isLast)
      if (!isLast) return
      trashId = closeBatch(db, batch, [...facts.values()])
      recordSubmission(request, body, { location: listAddress(request, deletion, body) })
    })
  try {
    await (deletion.whole || ids.length <= bulkLimit ? remove(ids, true) : longWrites.inSlices(actor.id, ids, remove))
  } catch (error) {
    await undoDeletion(server, batch)
    throw error
  }
  return { count: ids.length, trashId, label }
}

async function checkedSelection(request: FastifyRequest, deletion: AnyDeletion, body: URLSearchParams): Promise<number[]> {
  const ids = await selectedIds(request, deletion.list, body)
  if (ids.length === 0) throw new HttpError(422, 'Nothing selected.')
  if (ids.length > passwordThreshold) requireRecentPassword(request)
  if (deletion.list.single && ids.length > 1) throw new HttpError(422, 'Delete these one at a time.')
  if (hasChanged(body, ids)) throw new Obstacle(new HttpError(409, 'The list has changed. Review it and try again.'))
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
  if (ids.length === 0) throw new HttpError(422, 'Nothing selected.')
  await inSlices(ids, (slice) => void authorizedRecords(request, deletion, slice))
  const refusal = findRefusal(request, deletion, ids)
  const problem = notice ?? refusal
  return reply.page(confirmationPage, {
    title: request.t(deletion.question, { count: ids.length }),
    list: list.name,
    action: url(request.server, `/${list.name}/delete`),
    names: authorizedRecords(request, deletion, ids.slice(0, shownNames)).map((record) =>
      recordLabelFor(request.language, list.name, deletion.labelOf(record)),
    ),
    more: ids.length - shownNames,
    consequences: await countConsequences(db, deletion, ids),
    fields: selectionFields(request, list, source, ids),
    back: listAddress(request, deletion, source),
    once: crypto.randomUUID(),
    notice: problem && request.t(problem.message, problem.params),
    refused: refusal !== undefined,
    asks: deletion.asks && loadFragment(deletion.asks, request, ids, source),
  })
}

/** Why some of the records are not deleted, if any are not. */
export function findRefusal(acting: Acting, deletion: AnyDeletion | undefined, ids: number[]): HttpError | undefined {
  if (!deletion?.refusal) return undefined
  const { list, find, labelOf } = deletion
  const { ids: refused, reason } = deletion.refusal(acting, ids)
  if (refused.length === 0) return undefined
  const records = refused.slice(0, shownRefused).map((id) => find(acting.server.db, id))
  const names = records.map((record) => recordLabelFor(acting.language, list.name, labelOf(record))).join(', ')
  return new HttpError(422, reason, { names })
}

export async function countConsequences(
  db: Database,
  { consequences }: AnyDeletion,
  ids: number[],
): Promise<[text: string, count: number][]> {
  const counts = new Map<string, number>()
  await inSlices(ids, (slice) => {
    for (const [text, count] of consequences(db, slice)) counts.set(text, (counts.get(text) ?? 0) + count)
  })
  return [...counts].filter(([, count]) => count > 0)
}

function respondDeleted(
  request: FastifyRequest,
  reply: FastifyReply,
  deletion: AnyDeletion,
  body: URLSearchParams,
  { count, trashId, label }: { count: number; trashId: number; label: string },
) {
  const { list } = deletion
  const done = count === 1 ? '{name} deleted' : deletion.done
  const name = recordLabelFor(request.language, list.name, label)
  const state = stateFor(request, list, body)
  const undo = { action: url(request.server, `/bin/${trashId}/restore`) }
  if (wantsFragment(request)) {
    const message = { text: request.t(done, { count, name }), undo }
    return sendList(request, reply, list, state, { message, ...loadBelow(request, list) })
  }
  flash(request, done, { count, name }, undo)
  return reply.redirect(listAddress(request, deletion, body), 303)
}

/** Whoever may delete records may list them. */
function listAddress(request: FastifyRequest, { list }: AnyDeletion, source: URLSearchParams): string {
  return url(request.server, `/${list.name}`) + stateQuery(list, stateFor(request, list, source))
}
