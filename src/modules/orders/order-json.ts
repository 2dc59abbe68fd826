import { seesPrices } from '../../core/prices.ts'
import { lineCost } from '../../core/pricing.ts'
import { statusById } from '../../core/transition-rules.ts'
import type { orderMessageFiles } from '../../database/index.ts'
import { savedName } from '../../http/uploads/uploaded.ts'
import { isoTime, jsonOfFields, type Viewer } from '../../records/api/fields-json.ts'
import { type FileJson, jsonOfFile } from '../../records/api/file-json.ts'
import { holdsFile } from '../../records/fields/index.ts'
import { fieldsOf, inState } from '../../records/form/form.ts'
import { paymentsOf } from '../ledger/payment.ts'
import { jsonOfPayment } from '../ledger/payment-json.ts'
import { loadWorkflow } from '../workflow/load.ts'
import { orderForm, unseenOf } from './form.ts'
import type { Message } from './messages/message.ts'
import type { Order } from './order.ts'
import { amountsOf } from './payments/amounts.ts'
import { type Item, itemsOf } from './pricing/lines.ts'
import { type HistoryRow, historyOf } from './transitions/history.ts'

const ownNames = [
  'id',
  'version',
  'status_id',
  'dealer_id',
  'owner_company_id',
  'owner_manager_id',
  'specification_number',
  'status_since',
  'created_at',
  'updated_at',
  'cost',
] as const

/** What of an order its own row holds. */
type OrderFields = Pick<Order, (typeof ownNames)[number]>

/**
 * An order without its lines, as lists have it.
 * @param viewer who reads it: without the right to see prices it has no amounts
 */
export function jsonOfOrderFields({ server, actor }: Viewer, order: OrderFields) {
  const { id, version, status_id, dealer_id, owner_company_id, owner_manager_id, specification_number, status_since } = order
  return {
    ...{ id, version, status_id },
    status: statusById(loadWorkflow(server.db), status_id)?.name ?? null,
    status_since: isoTime(status_since),
    ...{ dealer_id, company_id: owner_company_id, manager_id: owner_manager_id, specification_number },
    ...(seesPrices(actor) && { cost: order.cost }),
    ...jsonOfFields(orderForm, order, unseenOf(actor)),
    created_at: isoTime(order.created_at),
    updated_at: isoTime(order.updated_at),
  }
}

/** An order without its discussion and without what its reader can do. */
export function jsonOfOrderContents(viewer: Viewer, order: Order) {
  const { server, actor } = viewer
  const { db } = server
  return {
    ...jsonOfOrderFields(viewer, order),
    items: itemsOf(db, order.id).map((item) => jsonOfItem(viewer, order, item)),
    history: historyOf(db)
      .all({ order: order.id })
      .map((row) => jsonOfStep(viewer, row)),
    ...(seesPrices(actor) && {
      payments: paymentsOf(db, order.id).map((payment) => jsonOfPayment(viewer, payment)),
      paid: amountsOf(db, order).paid,
    }),
    files: filesOf(viewer, order),
  }
}

/** A message of an order; of a withdrawn one neither text nor files are left. */
export function jsonOfMessage(viewer: Viewer, message: ReadableMessage) {
  const { id, order_id, at, author_id, author_name, internal, text, edited_at, withdrawn_at, files } = message
  return {
    ...{ id, order_id, at: isoTime(at), author_id, author: author_name, internal, text },
    edited_at: isoTime(edited_at),
    withdrawn_at: isoTime(withdrawn_at),
    files: files.map(({ file, name, size }) => ({ ...jsonOfFile(viewer, file, name), size })),
  }
}

function jsonOfItem(viewer: Viewer, order: Order, item: Item) {
  const {
    id,
    category_id,
    product_id = null,
    article = null,
    name,
    unit = null,
    basis = null,
    width = null,
    height = null,
    quantity,
    remark = null,
    files = [],
  } = item
  const line = {
    id,
    category_id,
    product_id,
    article,
    name,
    unit,
    basis,
    width,
    height,
    quantity,
    remark,
    files: jsonOfLineFiles(viewer, order, files),
  }
  if (!seesPrices(viewer.actor)) return line
  const { price, discount, piece_price = null, price_origin = null, priced_on = null, agreed_reason = null, vat = null } = item
  return { ...line, price, discount, piece_price, amount: lineCost(item), price_origin, priced_on, agreed_reason, vat }
}

function jsonOfLineFiles(viewer: Viewer, { id }: Order, keys: string[]): FileJson[] {
  const place = { entity: 'orders', id, field: 'items' }
  return keys.map((key) => jsonOfFile(viewer, key, savedName(viewer.server.db, place, key) ?? key))
}

function jsonOfStep({ actor }: Viewer, { step }: HistoryRow) {
  const { id, at, transition_id, from_status_id, from_name, to_status_id, to_name, actor_id, actor_name, comment, filled } = step
  const seen = fieldsOf(orderForm, { mode: 'edit', states: inState('hidden', unseenOf(actor)) })
  return {
    ...{ id, at: isoTime(at), transition_id, from_status_id, from: from_name, to_status_id, to: to_name },
    ...{ actor_id, actor: actor_name, comment, undone_at: isoTime(step.undone_at), undoes_id: step.undoes_id },
    filled: Object.fromEntries(Object.entries(filled).filter(([name]) => seen.has(name))),
  }
}

function filesOf(viewer: Viewer, order: Order): (FileJson & { field: string })[] {
  const fields = [...fieldsOf(orderForm, { mode: 'edit', states: inState('hidden', unseenOf(viewer.actor)) })]
  const stored: Record<string, unknown> = { ...order }
  return fields.flatMap(([field, declared]) => {
    const key = stored[field]
    if (!holdsFile(declared) || typeof key !== 'string') return []
    const name = savedName(viewer.server.db, { entity: 'orders', id: order.id, field }, key) ?? key
    return [{ field, ...jsonOfFile(viewer, key, name) }]
  })
}

type ReadableMessage = Message & { files: (typeof orderMessageFiles.$inferSelect)[] }
