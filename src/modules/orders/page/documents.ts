import { extname } from 'node:path'
import { allows } from '../../../core/access.ts'
import { editableFields, orderFiles } from '../../../core/order-editable-fields.ts'
import { outgoingTransitions } from '../../../core/transition-rules.ts'
import type { Database } from '../../../database/index.ts'
import type { Context } from '../../../http/request/context.ts'
import { previewKind } from '../../../http/uploads/file-type.ts'
import { attachedFile } from '../../../http/uploads/uploaded.ts'
import { loadWorkflow } from '../../workflow/load.ts'
import { orderAccess } from '../access.ts'
import { documentAccess, maySeePrices } from '../documents/access.ts'
import type { Issued } from '../documents/document.ts'
import { orderForm, unseenOf } from '../form.ts'
import type { Order } from '../order.ts'

/**
 * The files of an order; where one is missing it can be added, unless the order is canceled.
 * @param papers what was issued of the order, which stands beside them
 */
export function viewOfDocuments({ server: { db }, actor, t }: Context, order: Order, papers: Issued[], canceled: boolean) {
  const open = !canceled && allows(orderAccess.edit, actor, order) ? editableFields(actor, order.statusPermissions) : new Set()
  const unseen = unseenOf(actor)
  return orderFiles.flatMap((field) => {
    if (unseen.includes(field)) return []
    const key = order[field]
    const paper = papers.find(({ file }) => file === key)
    if (paper && !allows(maySeePrices, actor, paper)) return []
    const stored = key ? attachedFile(db, { entity: 'orders', id: order.id, field }, key) : undefined
    const name = key ? (stored?.name ?? t('File')) : undefined
    const document = {
      field,
      label: t(orderForm.fields[field].label),
      key,
      ...stored,
      name,
      preview: name && previewKind(extname(name)),
      replaceable: Boolean(key) && open.has(field),
      issued: paper !== undefined && allows(documentAccess.view, actor, paper),
    }
    return key || (open.has(field) && isAskedFor(field, db, order)) ? [document] : []
  })
}

/** A payment is confirmed once it was asked for: by an invoice, or by the next step. */
function isAskedFor(field: (typeof orderFiles)[number], db: Database, { invoice, status_id }: Order): boolean {
  if (field !== 'payment_order' || invoice) return true
  return outgoingTransitions(loadWorkflow(db), status_id).some(({ required_fields }) => required_fields.includes(field))
}
