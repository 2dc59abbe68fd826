import { and, eq } from 'drizzle-orm'
import { allows } from '../../../core/access.ts'
import { orderMessageFiles, orderMessages } from '../../../database/schema/index.ts'
import { mayReadHistory } from '../../../web/history/list.ts'
import type { AttachmentSource } from '../../../web/uploads/attachments.ts'
import { may } from '../access.ts'
import { findOrder } from '../order.ts'
import { canSeeInternal } from './message.ts'

export const messageFiles: AttachmentSource = {
  find: (db, key) =>
    db
      .select({ name: orderMessageFiles.name, message: orderMessages })
      .from(orderMessageFiles)
      .innerJoin(orderMessages, eq(orderMessages.id, orderMessageFiles.message_id))
      .where(and(eq(orderMessageFiles.file, key)))
      .all()
      .map(({ name, message }) => ({
        record: { entity: 'order_messages', id: message.id },
        name,
        mayRead: (actor) =>
          allows(may.view, actor, findOrder(db, message.order_id)) &&
          (!message.internal || canSeeInternal(actor)) &&
          (message.withdrawn_at === null || allows(mayReadHistory, actor)),
      })),
}
