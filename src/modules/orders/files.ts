import { eq, or } from 'drizzle-orm'
import { allows, maySee } from '../../core/access.ts'
import { orderMessageFiles, orderMessages, orders } from '../../database/schema/index.ts'
import { mayReadHistory } from '../../web/history/list.ts'
import type { AttachmentSource } from '../../web/uploads/attachments.ts'
import { may } from './access.ts'
import { orderForm } from './form.ts'
import { canSeeInternal } from './messages/message.ts'
import { findOrder } from './order.ts'

const names = ['specification', 'invoice', 'payment_order'] as const

export const orderAttachments: AttachmentSource = (db, key) => {
  const named = or(eq(orders.specification, key), eq(orders.payment_order, key), eq(orders.invoice, key))
  const { id, specification, invoice, payment_order } = orders
  const found = db.select({ id, specification, invoice, payment_order }).from(orders).where(named).all()
  return found.map(({ id, ...documents }) => ({
    record: { entity: 'orders', id },
    mayRead: (actor) => {
      const seen = names.some((name) => documents[name] === key && maySee(actor)(orderForm.fields[name]))
      return seen && allows(may.view, actor, findOrder(db, id))
    },
  }))
}

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
