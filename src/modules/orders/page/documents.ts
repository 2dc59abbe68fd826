import { extname } from 'node:path'
import { allows } from '../../../core/access.ts'
import { editableFields } from '../../../core/order-editable-fields.ts'
import type { Context } from '../../../http/request/context.ts'
import { previewKind } from '../../../http/uploads/file-type.ts'
import { attachedFile } from '../../../http/uploads/uploaded.ts'
import type { Field, Fields } from '../../../records/fields/index.ts'
import { orderAccess } from '../access.ts'
import { documentsOf, mayReadKind } from '../documents/document.ts'
import { orderFiles, orderForm, unseenOf } from '../form.ts'
import type { Order } from '../order.ts'

interface Shown {
  canceled: boolean
  /** Files that stand among what was issued. */
  issued: readonly string[]
}

/** The files of an order; where one is missing it can be added, unless the order is canceled. */
export function viewOfDocuments({ server: { db }, actor, t }: Context, order: Order, { canceled, issued }: Shown) {
  const open = !canceled && allows(orderAccess.edit, actor, order) ? editableFields(actor, order.statusPermissions) : new Set()
  const unseen = unseenOf(actor)
  const refused = documentsOf(db, order.id).flatMap(({ kind, file }) => (mayReadKind(actor, kind) ? [] : [file]))
  const declared: Fields = orderForm.fields
  const keys = order as Partial<Record<string, unknown>>
  return orderFiles.flatMap((field) => {
    if (unseen.includes(field)) return []
    const key = keys[field] as string | null
    if (key && refused.includes(key)) return []
    const stored = key ? attachedFile(db, { entity: 'orders', id: order.id, field }, key) : undefined
    const name = key ? (stored?.name ?? t('File')) : undefined
    const document = {
      field,
      label: t((declared[field] as Field).label),
      key,
      ...stored,
      name,
      preview: name && previewKind(extname(name)),
      replaceable: Boolean(key) && open.has(field),
      issued: key !== null && issued.includes(key),
    }
    return key || open.has(field) ? [document] : []
  })
}
