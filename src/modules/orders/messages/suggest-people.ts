import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Group, group } from '../../../core/access.ts'
import { groupMemberNames } from '../../../core/labels.ts'
import { template } from '../../../web/http.ts'
import type { Order } from '../order.ts'
import { readersOf } from '../recipients.ts'

const suggestions = template<{ people: { name: string; role: string }[] }>('orders/mention-suggestions.njk')

export function showPeople({ server, actor, t }: FastifyRequest, reply: FastifyReply, order: Order) {
  const readers = readersOf(server.db, order, { internal: false }).filter(({ id }) => id !== actor.id)
  const offered =
    actor.group_id === group.dealer
      ? readers.filter(({ id, group_id }) => group_id === group.dealer || id === order.owner_manager_id)
      : readers
  return reply.page(suggestions, {
    people: offered.map(({ lastname, name, group_id }) => ({ name: `${lastname} ${name}`, role: t(groupMemberNames[group_id as Group]) })),
  })
}
