import { and, eq, sql } from 'drizzle-orm'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { madeStatus, statusNameFor } from '../../../core/default-workflow.ts'
import { proposeMade } from '../../../core/made.ts'
import {
  type Author,
  createRecord,
  type Database,
  statuses,
  statusTransitions,
  touch,
  updateRecord,
  whereIn,
} from '../../../database/index.ts'
import { action, type Done } from '../../../http/action.ts'
import { url } from '../../../http/request/addresses.ts'
import type { Context } from '../../../http/request/context.ts'
import { HttpError } from '../../../http/request/errors.ts'
import { bodyOf, parseId } from '../../../http/request/input.ts'
import { template } from '../../../http/request/template.ts'
import { isoTime } from '../../../records/api/fields-json.ts'
import { integer, moment, orNull, string } from '../../../records/fields/json-schema.ts'
import type { Resource } from '../../../records/kind/resource.ts'
import { addRecord } from '../../../records/record.ts'
import { loadWorkflow } from '../load.ts'
import { statusCard } from './card.ts'
import { type ReassignOrders, statusDeletion, statusList } from './list.ts'
import { copyPolicies, inheritPolicies, switchPolicy } from './policies.ts'
import { allStatuses, findStatus, findStatusByKey, type Status, statusAccess, statusLabel, transitionsOf } from './status.ts'

/** The workflow lies beneath the orders: what a deletion of statuses does with them is theirs. */
export const statusRoutes =
  (reassignOrders: ReassignOrders): FastifyPluginAsync =>
  async (app) => {
    addRecord(app, {
      list: statusList(),
      card: statusCard,
      deletion: statusDeletion(reassignOrders),
      api: statusResource,
      menu: { icon: 'route', letter: 'u', section: 'Catalog', also: ['/status', '/orders/try'], says: ['workflow, stages, transitions'] },
    })
    app.get('/statuses/order', { access: statusAccess.edit }, showReorder)
    app.post('/statuses/order', action({ access: statusAccess.edit }, saveReorder))
    app.post('/statuses/made', action({ access: statusAccess.edit }, addMade))
    app.post('/status/edit/:id/policies', action({ access: statusAccess.edit, record: findStatus }, copyPolicies))
    app.post('/status/edit/:id/policies/:policy_key', action({ access: statusAccess.edit, record: findStatus }, switchPolicy))
  }

const reorderPage = template<{ title: string; rows: Status[]; notice?: string; message?: string }>('statuses/reorder.njk')

const saveReorder = {
  perform: (request: FastifyRequest): Done => {
    const body = bodyOf(request)
    reorderStatuses(request.server.db, requestedOrder(body), request.author)
    return {
      location: url(request.server, requestedMove(body) ? '/statuses/order' : '/statuses'),
      message: ['Status order saved'],
      fragment: (reply) => showReorder(request, reply, { message: request.t('Status order saved') }),
    }
  },
  showAgain: (request: FastifyRequest, reply: FastifyReply, _: unknown, problem: HttpError) =>
    showReorder(request, reply, { notice: request.t(problem.message) }),
}

function showReorder(request: FastifyRequest, reply: FastifyReply, messages: { notice?: string; message?: string } = {}) {
  return reply.page(reorderPage, {
    title: request.t('Reorder statuses'),
    rows: allStatuses(request.server.db),
    ...messages,
  })
}

function requestedOrder(body: URLSearchParams): number[] {
  const ids = body.getAll('id').map((text) => parseId(text) ?? -1)
  const move = requestedMove(body)
  if (!move) return ids
  const from = ids.indexOf(move.id)
  const other = ids[from + move.by]
  return from < 0 || other === undefined ? ids : ids.with(from, other).with(from + move.by, move.id)
}

function requestedMove(body: URLSearchParams): { id: number; by: number } | undefined {
  const by = body.has('_up') ? -1 : 1
  const id = parseId(body.get('_up') ?? body.get('_down'))
  return id === undefined ? undefined : { id, by }
}

/** @throws HttpError 422 when these are not all statuses, each once */
function reorderStatuses(db: Database, ids: number[], author: Author): void {
  const present = allStatuses(db)
  const wanted = ids.flatMap((id) => present.find((status) => status.id === id) ?? [])
  if (ids.length !== present.length || new Set(wanted).size !== present.length)
    throw new HttpError(422, 'Not saved. The statuses have changed; here is the current order.')
  for (const [at, status] of wanted.entries()) updateRecord(db, statuses, status, { index: at + 1 }, statusLabel(status), author)
}

function jsonOfStatus(_acting: unknown, { id, version, index, status_key, name, color, description, ...times }: Status) {
  const { created_at, updated_at } = times
  return { id, version, index, status_key, name, color, description, created_at: isoTime(created_at), updated_at: isoTime(updated_at) }
}

const statusResource: Resource<Status, Status> = {
  name: 'statuses',
  schema: 'Status',
  table: statuses,
  find: findStatus,
  may: statusAccess,
  rows: ({ server }, ids) => allStatuses(server.db).filter(({ id }) => ids.includes(id)),
  json: jsonOfStatus,
  fields: {
    ...{ id: integer, version: integer, index: integer, status_key: string, name: string, color: orNull(string) },
    ...{ description: orNull(string), created_at: moment, updated_at: moment },
  },
}

/** Puts "Made" between production and what follows it. Asked again, it changes nothing. */
function addMade(context: Context): Done {
  const { server } = context
  const location = url(server, '/statuses')
  const present = findStatusByKey(server.db, madeStatus.status_key)
  if (present) return { location, message: ['There is a status "{name}" already.', { name: statusNameFor(context.language, present) }] }
  const proposal = proposeMade(loadWorkflow(server.db))
  if (!proposal) throw new HttpError(422, 'No transition leads from production to delivery or pickup.')
  const production = findStatus(server.db, proposal.production.id) as Status
  const steps = proposal.onward.map(({ id }) => id)
  insertAfter(context, production, steps)
  const name = madeStatus.name[context.language]
  return { location, message: ['Status "{name}" added between production and what follows it', { name }] }
}

function insertAfter(context: Context, production: Status, steps: number[]): void {
  const { server, author } = context
  const { db, config } = server
  const { status_key, color, action } = madeStatus
  const name = madeStatus.name[config.language]
  const before = transitionsOf(db, production.id)
  moveBack(context, production.index)
  const row = { status_key, name, seed_key: status_key, color, index: production.index + 1, notify_manager: true }
  createRecord(db, statuses, row, name, author, (made) => {
    moveSteps(db, production.id, made, steps)
    db.insert(statusTransitions)
      .values({
        ...{ parent_status_id: production.id, child_status_id: made, action_name: action[config.language], seed_key: status_key },
        ...{ manager_can: true, production_can: true },
      })
      .run()
    return { ...inheritPolicies(db, made, production.id), transitions: [[], transitionsOf(db, made)] }
  })
  touch(db, statuses, production, statusLabel(production), { transitions: [before, transitionsOf(db, production.id)] }, author)
}

/** Makes room behind this position. */
function moveBack({ server: { db }, author }: Context, index: number): void {
  const later = allStatuses(db).filter((status) => status.index > index)
  for (const status of later) updateRecord(db, statuses, status, { index: status.index + 1 }, statusLabel(status), author)
}

/** What leads onward starts in the new status; what calls orders off does so there as well. */
function moveSteps(db: Database, production: number, made: number, steps: number[]): void {
  const { id, parent_status_id, child_status_id } = statusTransitions
  const canceling = db.select({ id: statuses.id }).from(statuses).where(eq(statuses.due, 'ends'))
  const calledOff = and(eq(parent_status_id, production), sql`${child_status_id} in ${canceling}`)
  for (const { id: _, ...rules } of db.select().from(statusTransitions).where(calledOff).all())
    db.insert(statusTransitions)
      .values({ ...rules, parent_status_id: made })
      .run()
  db.update(statusTransitions).set({ parent_status_id: made }).where(whereIn(id, steps)).run()
}
