import type { FastifyInstance } from 'fastify'
import { group } from '../../core/access.ts'
import type { WebhookEvent } from '../../database/index.ts'
import { notFound } from '../../http/request/errors.ts'
import type { Person } from '../../http/request/person.ts'
import { findPayment } from '../ledger/payment.ts'
import { readableMessages } from '../orders/messages/discussion.ts'
import { findMessage } from '../orders/messages/message.ts'
import { findOrder } from '../orders/order.ts'
import { jsonOfMessage, jsonOfOrderContents } from '../orders/order-json.ts'
import { jsonOfPayment } from '../orders/payments/payment-json.ts'

/** The record of an event as the API shows it. What it shows to one reader only is no part of it. */
export function jsonOfRecord(app: FastifyInstance, type: WebhookEvent, id: number): object {
  return present[type](app, id) ?? refuse()
}

const present: Record<WebhookEvent, (app: FastifyInstance, id: number) => object | undefined> = {
  'order.created': jsonOfOrder,
  'order.status_changed': jsonOfOrder,
  'order.message': jsonOfNewMessage,
  'payment.reported': jsonOfFoundPayment,
  'payment.confirmed': jsonOfFoundPayment,
}

/** Sees what superadministrators see, who decide what is sent where. */
const reader: Person = {
  ...{ id: 0, group_id: group.administrator, superadmin: true, name: '', lastname: '' },
  ...{ email: '', middlename: null, image: null, language: null, theme: null },
  ...{ company_id: null, stock_id: null, manufacture_id: null, policies: new Set<string>() },
}

function jsonOfOrder(server: FastifyInstance, id: number) {
  const order = findOrder(server.db, id)
  return order && jsonOfOrderContents({ server, actor: reader }, order)
}

function jsonOfNewMessage(server: FastifyInstance, id: number) {
  const order = findMessage(server.db, id)
  const viewer = { server, actor: reader }
  const [message] = order ? readableMessages(viewer, order, 1) : []
  return message && jsonOfMessage(viewer, message)
}

function jsonOfFoundPayment(server: FastifyInstance, id: number) {
  const payment = findPayment(server.db, id)
  return payment && jsonOfPayment({ server, actor: reader }, payment)
}

function refuse(): never {
  throw notFound()
}
