import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { type Author, type Database, statuses, updateRecord } from '../../../database/index.ts'
import { action, type Done } from '../../../http/action.ts'
import { url } from '../../../http/request/addresses.ts'
import { HttpError } from '../../../http/request/errors.ts'
import { bodyOf, parseId } from '../../../http/request/input.ts'
import { template } from '../../../http/request/template.ts'
import { isoTime } from '../../../records/api/fields-json.ts'
import { integer, moment, orNull, string } from '../../../records/fields/json-schema.ts'
import type { Resource } from '../../../records/kind/resource.ts'
import { addRecord } from '../../../records/record.ts'
import { statusCard } from './card.ts'
import { type ReassignOrders, statusDeletion, statusList } from './list.ts'
import { addMade } from './made.ts'
import { copyPolicies, switchPolicy } from './policies.ts'
import { allStatuses, findStatus, type Status, statusAccess, statusLabel } from './status.ts'

/** The workflow lies beneath the orders: what a deletion of statuses does with them is theirs. */
export const statusRoutes =
  (reassignOrders: ReassignOrders): FastifyPluginAsync =>
  async (app) => {
    addRecord(app, {
      list: statusList(),
      card: statusCard,
      deletion: statusDeletion(reassignOrders),
      api: statusResource,
      menu: { icon: 'route', section: 'Catalog', also: ['/status', '/orders/try'] },
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
  rowJson: jsonOfStatus,
  json: jsonOfStatus,
  fields: {
    ...{ id: integer, version: integer, index: integer, status_key: string, name: string, color: orNull(string) },
    ...{ description: orNull(string), created_at: moment, updated_at: moment },
  },
}
