import { eq } from 'drizzle-orm'
import { allows } from '../../../core/access.ts'
import { orderMessageFiles, orderMessages } from '../../../database/index.ts'
import { mayReadHistory } from '../../../web/history/list.ts'
import type { AttachmentSource } from '../../../web/uploads/attachments.ts'
import { may } from '../access.ts'
import { findOrder } from '../order.ts'
import { canSeeInternal } from './message.ts'

export const messageFiles: AttachmentSource = (db, key) => {
  const files = db.select({ name: orderMessageFiles.name, message: orderMessages }).from(orderMessageFiles)
  const ofMessages = files.innerJoin(orderMessages, eq(orderMessages.id, orderMessageFiles.message_id))
  const found = ofMessages.where(eq(orderMessageFiles.file, key)).all()
  return found.map(({ name, message }) => ({
    record: { entity: 'order_messages', id: message.id },
    name,
    mayRead: (actor) =>
      allows(may.view, actor, findOrder(db, message.order_id)) &&
      (!message.internal || canSeeInternal(actor)) &&
      (message.withdrawn_at === null || allows(mayReadHistory, actor)),
  }))
}
