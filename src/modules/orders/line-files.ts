import { allows } from '../../core/access.ts'
import { namesFile } from '../../database/file-columns.ts'
import { orderItems, prepareOnce } from '../../database/index.ts'
import type { AttachmentSource } from '../../records/attachments.ts'
import { orderAccess } from './access.ts'
import { findOrder } from './order.ts'

/** Drawings and photos of lines, for whoever may see the order. */
export const lineFiles: AttachmentSource = (db, key) =>
  ordersWith(db)
    .all({ key })
    .map(({ id }) => ({
      record: { entity: 'orders', id, field: 'items' },
      mayRead: (actor) => allows(orderAccess.view, actor, findOrder(db, id)),
    }))

const ordersWith = prepareOnce((db, params) =>
  db.selectDistinct({ id: orderItems.order_id }).from(orderItems).where(namesFile(orderItems.files, params.key)).prepare(),
)
