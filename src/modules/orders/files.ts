import { eq, or } from 'drizzle-orm'
import { allows } from '../../core/access.ts'
import { orders } from '../../database/schema/index.ts'
import type { AttachmentSource } from '../../web/uploads/attachments.ts'
import { may } from './access.ts'
import { findOrder } from './order.ts'

export const orderAttachments: AttachmentSource = {
  find: (db, key) =>
    db
      .select({ id: orders.id })
      .from(orders)
      .where(or(eq(orders.specification, key), eq(orders.payment_order, key), eq(orders.invoice, key)))
      .all()
      .map(({ id }) => ({ record: { entity: 'orders', id }, mayRead: (actor) => allows(may.view, actor, findOrder(db, id)) })),
}
