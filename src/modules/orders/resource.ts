import { getTableColumns } from 'drizzle-orm'
import { mayPerform, outgoingTransitions, statusById } from '../../core/transition-rules.ts'
import { orders, prepareOnce, whereIn } from '../../database/index.ts'
import type { Viewer } from '../../records/api/fields-json.ts'
import { rowsBy } from '../../records/api/resource.ts'
import { boolean, day, file, integer, kopecks, listOf, moment, objectOf, orNull, string } from '../../records/fields/json-schema.ts'
import type { Resource } from '../../records/kind/resource.ts'
import { loadWorkflow } from '../workflow/load.ts'
import { orderAccess } from './access.ts'
import { orderCard } from './card.ts'
import { readableMessages } from './messages/discussion.ts'
import { findOrder, type Order } from './order.ts'
import { jsonOfMessage, jsonOfOrderContents, jsonOfOrderFields } from './order-json.ts'

/** Newest messages that an order shows; its page has as many. */
const messageLimit = 1000

/** An order with everything that somebody may see of it. */
function jsonOfOrder(viewer: Viewer, order: Order) {
  return {
    ...jsonOfOrderContents(viewer, order),
    messages: readableMessages(viewer, order, messageLimit).map((message) => jsonOfMessage(viewer, message)),
    transitions: jsonOfTransitions(viewer, order),
  }
}

/** The steps that somebody may make now, with the fields that each requires. */
function jsonOfTransitions({ server, actor }: Viewer, order: Order) {
  const workflow = loadWorkflow(server.db)
  return outgoingTransitions(workflow, order.status_id)
    .filter((transition) => mayPerform(transition, actor, order))
    .map(({ id, action_name, child_status_id, required_fields }) => ({
      id,
      name: action_name ?? null,
      to_status_id: child_status_id,
      to: statusById(workflow, child_status_id)?.name ?? null,
      required_fields,
    }))
}

const byIds = prepareOnce((db, params) => db.select(getTableColumns(orders)).from(orders).where(whereIn(orders.id, params.ids)).prepare())

const item = objectOf({
  ...{ id: integer, category_id: orNull(integer), product_id: orNull(integer), article: orNull(string), name: string },
  ...{ unit: orNull(string), basis: orNull(string), width: orNull(integer), height: orNull(integer), quantity: integer },
  ...{ price: orNull(kopecks), discount: integer, piece_price: orNull(kopecks), amount: kopecks },
  ...{ price_origin: orNull(string), priced_on: orNull(day), agreed_reason: orNull(string), vat: orNull(string), remark: orNull(string) },
  files: listOf(objectOf(file)),
})

const step = objectOf({
  ...{ id: integer, at: moment, transition_id: orNull(integer), from_status_id: orNull(integer), from: orNull(string) },
  ...{ to_status_id: orNull(integer), to: orNull(string), actor_id: orNull(integer), actor: string, comment: orNull(string) },
  ...{ undone_at: orNull(moment), undoes_id: orNull(integer), filled: objectOf({}) },
})

const message = objectOf({
  ...{ id: integer, order_id: integer, at: moment, author_id: integer, author: string, internal: boolean, text: string },
  ...{ edited_at: orNull(moment), withdrawn_at: orNull(moment), files: listOf(objectOf({ ...file, size: integer })) },
})

const transition = objectOf({
  ...{ id: integer, name: orNull(string), to_status_id: integer, to: orNull(string), required_fields: listOf(string) },
})

export const orderResource: Resource<Order, typeof orders.$inferSelect> = {
  name: 'orders',
  schema: 'Order',
  table: orders,
  find: findOrder,
  may: orderAccess,
  walk: orders.created_at,
  rows: rowsBy(byIds),
  rowJson: jsonOfOrderFields,
  json: jsonOfOrder,
  card: orderCard,
  fields: {
    ...{ id: integer, version: integer, status_id: orNull(integer), status: orNull(string), status_since: moment },
    ...{ dealer_id: orNull(integer), company_id: orNull(integer), manager_id: orNull(integer), specification_number: orNull(integer) },
    ...{ cost: kopecks, created_at: moment, updated_at: moment },
  },
  whole: {
    items: listOf(item),
    payments: listOf({ $ref: '#/components/schemas/Payment' }),
    paid: kopecks,
    history: listOf(step),
    messages: listOf(message),
    files: listOf(objectOf({ field: string, ...file })),
    transitions: listOf(transition),
  },
}
