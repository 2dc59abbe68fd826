import { eq } from 'drizzle-orm'
import { type Actor, allOf, anyOf, everyone, group, isSameId, owned } from '../../../core/access.ts'
import { orderMessages, prepareOnce } from '../../../database/index.ts'
import type { FindRecord } from '../../../web/http.ts'
import { may as mayOrder } from '../access.ts'
import { findOrder, type Order, type OrderFacts } from '../order.ts'

export type Message = typeof orderMessages.$inferSelect

export type MessageWithOrder = Order & { message: Message }

/** Staff who impersonate a dealer see what the dealer sees. */
export function canSeeInternal({ group_id }: Pick<Actor, 'group_id'>): boolean {
  return group_id !== group.dealer
}

/** A message with its order, whose access rules it shares. For dealers internal messages do not exist. */
export const findMessage: FindRecord<MessageWithOrder> = (db, id, actor) => {
  const message = messageById(db).get({ id })
  const order = message && findOrder(db, message.order_id)
  return order && (!message.internal || (actor && canSeeInternal(actor))) ? { ...order, message } : undefined
}

const messageById = prepareOnce((db, given) => db.select().from(orderMessages).where(eq(orderMessages.id, given.id)).prepare())

const ownMessage = owned<OrderFacts & { message: Message }>('messages you wrote', (actor, { message }) =>
  isSameId(message.author_id, actor.id),
)

export const mayChangeMessage = allOf<OrderFacts & { message: Message }>(mayOrder.view, anyOf(everyone(ownMessage)))
