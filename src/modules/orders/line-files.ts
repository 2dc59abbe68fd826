import type { FastifyReply, FastifyRequest } from 'fastify'
import { allows } from '../../core/access.ts'
import { namesFile } from '../../database/file-columns.ts'
import { orderItems, prepareOnce } from '../../database/index.ts'
import { url } from '../../http/request/addresses.ts'
import { HttpError } from '../../http/request/errors.ts'
import { paramOf } from '../../http/request/input.ts'
import { savedName } from '../../http/uploads/uploaded.ts'
import type { AttachmentSource } from '../../records/attachments.ts'
import { orderAccess } from './access.ts'
import { findOrder, type Order } from './order.ts'
import { itemsOf } from './pricing/lines.ts'

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

/** To the file while a line has it: a page may have been open for long. */
export function openLineFile(request: FastifyRequest, reply: FastifyReply, { id }: Order) {
  const { db } = request.server
  const key = paramOf(request, 'key')
  if (!itemsOf(db, id).some(({ files }) => files?.includes(key)))
    throw new HttpError(404, 'This file is no longer there: it was removed or replaced.')
  const name = savedName(db, { entity: 'orders', id, field: 'items' }, key)
  return reply.redirect(url(request.server, `/files/${key}${name ? `?${new URLSearchParams({ name })}` : ''}`), 303)
}
