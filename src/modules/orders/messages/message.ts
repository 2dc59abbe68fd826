import { eq } from 'drizzle-orm'
import { type Actor, allOf, allows, anyOf, everyone, group, isSameId, owned } from '../../../core/access.ts'
import { orderMessageFiles, orderMessages, prepareOnce } from '../../../database/index.ts'
import type { FindRecord } from '../../../http/request/route-policy.ts'
import type { AttachmentSource } from '../../../records/attachments.ts'
import { mayReadHistory } from '../../../records/history/list.ts'
import { orderAccess as mayOrder } from '../access.ts'
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

const messageById = prepareOnce((db, params) => db.select().from(orderMessages).where(eq(orderMessages.id, params.id)).prepare())

const ownMessage = owned<OrderFacts & { message: Message }>('messages you wrote', (actor, { message }) =>
  isSameId(message.author_id, actor.id),
)

export const mayChangeMessage = allOf<OrderFacts & { message: Message }>(mayOrder.act, anyOf(everyone(ownMessage)))

export const messageFiles: AttachmentSource = (db, key) => {
  const files = db.select({ name: orderMessageFiles.name, message: orderMessages }).from(orderMessageFiles)
  const ofMessages = files.innerJoin(orderMessages, eq(orderMessages.id, orderMessageFiles.message_id))
  const found = ofMessages.where(eq(orderMessageFiles.file, key)).all()
  return found.map(({ name, message }) => ({
    record: { entity: 'order_messages', id: message.id },
    name,
    mayRead: (actor) =>
      allows(mayOrder.view, actor, findOrder(db, message.order_id)) &&
      (!message.internal || canSeeInternal(actor)) &&
      (message.withdrawn_at === null || allows(mayReadHistory, actor)),
  }))
}
