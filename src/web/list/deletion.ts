import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { allows, type Rule } from '../../core/access.ts'
import { deleteRecords } from '../../database/delete-records.ts'
import type { Database } from '../../database/open.ts'
import { write } from '../../database/open.ts'
import type { RecordTable } from '../../database/records.ts'
import type { RestoreConflict } from '../../database/restore-records.ts'
import type { StoredRow } from '../../database/schema/audit-log.ts'
import { authorize } from '../access/policy-hook.ts'
import { requireRecentPassword } from '../access/reauthentication.ts'
import { flash } from '../flash.ts'
import { authorOf, HttpError, notFound, url, wantsFragment } from '../http.ts'
import { bodyOf, queryOf } from '../request.ts'
import { findSubmission, recordSubmission } from '../submissions/idempotency.ts'
import { type Part, page } from '../view/page.ts'
import { hasChanged, selectedIds, selectionFields } from './selection.ts'
import { loadBelow, sendList } from './send.ts'
import { type List, readState, stateQuery } from './state.ts'

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
  asks?: string
  blocked?: boolean
}

const confirmationPage = page<Confirmation>('pages/confirm-deletion.njk')

export interface Deletion<R extends { id: number }> {
  // biome-ignore lint/suspicious/noExplicitAny: the list's rows are the list template's business
  list: List<any>
  table: RecordTable
  rule: Rule<R>
  find: (db: Database, id: number) => R | undefined
  labelOf: (row: StoredRow) => string
  question: string
  done: string
  consequences: (db: Database, ids: number[]) => [text: string, count: number][]
  single?: boolean
  asks?: Part<[FastifyRequest, number[], URLSearchParams]>
  /** Runs inside the transaction before the deletion and returns an obstacle to ask about; then it must not have written anything. */
  before?: (request: FastifyRequest, ids: number[], body: URLSearchParams) => HttpError | undefined
  factsOf?: (db: Database, row: StoredRow) => R
  /** Runs inside the transaction after records were restored. */
  restored?: (request: FastifyRequest, ids: number[]) => void
  restoreConflicts?: (db: Database, rows: StoredRow[]) => RestoreConflict[]
}

declare module 'fastify' {
  interface FastifyInstance {
    // biome-ignore lint/suspicious/noExplicitAny: records of every kind
    deletions: Map<string, Deletion<any>>
  }
}

export function deletionRoutes<R extends { id: number }>(app: FastifyInstance, path: string, deletion: Deletion<R>): void {
  app.deletions.set(deletion.list.name, deletion)
  app.get(path, { access: deletion.rule }, confirmDeletion(deletion))
  app.post(path, { access: deletion.rule }, performDeletion(deletion))
}

function confirmDeletion<R extends { id: number }>(deletion: Deletion<R>) {
  return (request: FastifyRequest, reply: FastifyReply) => renderConfirmation(request, reply, deletion, queryOf(request))
}

const passwordThreshold = 100

function performDeletion<R extends { id: number }>(deletion: Deletion<R>) {
  return (request: FastifyRequest, reply: FastifyReply) => {
    const { db } = request.server
    const body = bodyOf(request)
    const outcome = write(db, () => {
      if (findSubmission(request, body)) return 'done'
      const ids = selectedIds(request, deletion.list, body)
      if (ids.length === 0) return 'nothing'
      if (ids.length > passwordThreshold) requireRecentPassword(request)
      if (deletion.single && ids.length > 1) return 'many'
      if (hasChanged(body, ids)) return new HttpError(409, 'The list has changed. Review it and try again.')
      authorizeRecords(request, deletion, ids)
      const problem = deletion.before?.(request, ids, body)
      if (problem) return problem
      const trashId = deleteRecords(db, { ...deletion, list: deletion.list.name }, ids, authorOf(request))
      recordSubmission(request, body, listAddress(request, deletion, body))
      return { count: ids.length, trashId }
    })
    if (outcome instanceof HttpError) return renderConfirmation(request, reply.code(outcome.status), deletion, body, outcome)
    if (outcome === 'done') return reply.redirect(listAddress(request, deletion, body), 303)
    if (outcome === 'many') throw new HttpError(422, 'Delete these one at a time.')
    if (outcome === 'nothing') throw new HttpError(422, 'Nothing selected.')
    return respondDeleted(request, reply, deletion, body, outcome)
  }
}

function renderConfirmation<R extends { id: number }>(
  request: FastifyRequest,
  reply: FastifyReply,
  deletion: Deletion<R>,
  source: URLSearchParams,
  notice?: HttpError,
) {
  const { db } = request.server
  const { list } = deletion
  const ids = selectedIds(request, list, source)
  if (ids.length === 0) throw new HttpError(422, 'Nothing selected.')
  const records = authorizeRecords(request, deletion, ids)
  const state = readState(list, source)
  return reply.page(confirmationPage, {
    title: request.t(deletion.question, { count: ids.length }),
    list: list.name,
    action: url(request.server, `/${list.name}/delete`),
    names: records.slice(0, 10).map((record) => deletion.labelOf(record as unknown as StoredRow)),
    more: ids.length - 10,
    consequences: deletion.consequences(db, ids).filter(([, count]) => count > 0),
    fields: selectionFields(list, source, ids),
    back: url(request.server, `/${list.name}`) + stateQuery(list, state),
    once: crypto.randomUUID(),
    notice: notice && request.t(notice.message, notice.params),
    ...(deletion.asks && { asks: deletion.asks.template, ...deletion.asks.load(request, ids, source) }),
  })
}

function authorizeRecords<R extends { id: number }>(request: FastifyRequest, deletion: Deletion<R>, ids: number[]): R[] {
  const records = ids.map((id) => deletion.find(request.server.db, id))
  if (records.includes(undefined)) throw notFound()
  for (const record of records as R[]) authorize(deletion.rule, request.actor, record)
  return records as R[]
}

function respondDeleted<R extends { id: number }>(
  request: FastifyRequest,
  reply: FastifyReply,
  deletion: Deletion<R>,
  body: URLSearchParams,
  { count, trashId }: { count: number; trashId: number },
) {
  const { list, done } = deletion
  const state = readState(list, body)
  const undo = url(request.server, `/bin/${trashId}/restore`)
  if (wantsFragment(request)) {
    const message = { text: request.t(done, { count }), undo }
    return sendList(request, reply, list, state, { message, ...loadBelow(request, list) })
  }
  flash(request, done, { count }, undo)
  return reply.redirect(listAddress(request, deletion, body), 303)
}

function listAddress<R extends { id: number }>({ server, actor }: FastifyRequest, { list }: Deletion<R>, body: URLSearchParams): string {
  return url(server, allows(list.may.list, actor) ? `/${list.name}${stateQuery(list, readState(list, body))}` : '/')
}
