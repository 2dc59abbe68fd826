import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Author, type Database, statuses, updateRecord, write } from '../../database/index.ts'
import { bodyOf, flash, page, parseId, url, wantsFragment } from '../../web/http.ts'
import { allStatuses, type Status, statusLabel } from './status.ts'

const reorderPage = page<{ title: string; rows: Status[]; notice?: string; message?: string }>('statuses/reorder.njk')

export function saveReorder(request: FastifyRequest, reply: FastifyReply) {
  const body = bodyOf(request)
  const { db } = request.server
  const saved = write(db, () => reorderStatuses(db, requestedOrder(body), request.author))
  if (!saved)
    return showReorder(request, reply.code(422), {
      notice: request.t('Not saved. The statuses have changed; here is the current order.'),
    })
  if (wantsFragment(request)) return showReorder(request, reply, { message: request.t('Status order saved') })
  flash(request, 'Status order saved')
  return reply.redirect(url(request.server, requestedMove(body) ? '/statuses/order' : '/statuses'), 303)
}

export function showReorder(request: FastifyRequest, reply: FastifyReply, messages: { notice?: string; message?: string } = {}) {
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

function reorderStatuses(db: Database, ids: number[], author: Author): boolean {
  const present = allStatuses(db)
  const wanted = ids.flatMap((id) => present.find((status) => status.id === id) ?? [])
  if (ids.length !== present.length || new Set(wanted).size !== present.length) return false
  for (const [at, status] of wanted.entries()) updateRecord(db, statuses, status, { index: at + 1 }, statusLabel(status), author)
  return true
}
