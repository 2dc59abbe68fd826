import type { FastifyRequest } from 'fastify'
import { allows } from '../../../core/access.ts'
import { bodyOf, queryOf, url } from '../../../web/http.ts'
import { neighborsOf } from '../../../web/list/rows.ts'
import { readState } from '../../../web/list/state.ts'
import { may } from '../access.ts'
import { orderList } from '../list.ts'
import { findOrder, type Order } from '../order.ts'

/**
 * The orders before and after this one in the list that the user came from. `next` in the query is the one that followed before a
 * transition, by which the order itself may have left the list.
 */
export function presentNeighbors(request: FastifyRequest, order: Order) {
  const { server, actor } = request
  const sent = request.method === 'POST' ? bodyOf(request) : queryOf(request)
  const back = sent.get('back')
  if (!back?.startsWith('?') || !allows(may.list, actor)) return {}
  const list = orderList(server.db)
  const { previous, next } = neighborsOf({ db: server.db, list, actor, state: readState(list, new URLSearchParams(back)) }, order.id)
  const following = visibleId(request, sent.get('next'))
  const link = (id: number | undefined) => id && `${url(server, `/orders/${id}`)}?${new URLSearchParams({ back })}`
  return { back, previous: link(previous), next: link(following ?? next), nextId: following ?? next, moved: following !== undefined }
}

function visibleId({ server, actor }: FastifyRequest, text: string | null): number | undefined {
  const order = text && /^\d{1,15}$/.test(text) ? findOrder(server.db, Number(text)) : undefined
  return order && allows(may.view, actor, order) ? order.id : undefined
}

export function pageAddress(request: FastifyRequest, order: Order): string {
  const kept = new URLSearchParams([...bodyOf(request)].filter(([name, value]) => value && (name === 'back' || name === 'next')))
  return url(request.server, `/orders/${order.id}`) + (kept.size > 0 ? `?${kept}` : '')
}
