import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Group, group } from '../../../core/access.ts'
import { groupNames } from '../../../core/labels.ts'
import { page } from '../../../web/http.ts'
import { historyOf } from '../history.ts'
import type { Order } from '../order.ts'
import { presentDiscussion } from './discussion.ts'
import { readersOf } from './readers.ts'

const timeline = page<ReturnType<typeof presentDiscussion> & { order: Order; once: string }>('orders/timeline.njk')

export function showTimeline(request: FastifyRequest, reply: FastifyReply) {
  const order = request.record as Order
  const history = historyOf(request.server.db).all({ order: order.id })
  return reply.page(timeline, { order, once: crypto.randomUUID(), ...presentDiscussion(request, order, history) })
}

interface Mentionable {
  name: string
  role: string
}

const people = page<{ people: Mentionable[] }>('orders/mention-suggestions.njk')

export function showPeople(request: FastifyRequest, reply: FastifyReply) {
  const { server, actor, record, t } = request
  const order = record as Order
  const readers = readersOf(server.db, order, { internal: false }).filter(({ id }) => id !== actor.id)
  const offered =
    actor.group_id === group.dealer
      ? readers.filter(({ id, group_id }) => group_id === group.dealer || id === order.owner_manager_id)
      : readers
  return reply.page(people, {
    people: offered.map(({ lastname, name, group_id }) => ({ name: `${lastname} ${name}`, role: t(groupNames[group_id as Group]) })),
  })
}
