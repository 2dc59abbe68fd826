import type { FastifyInstance } from 'fastify'
import { group } from '../../core/access.ts'
import type { Person } from '../../http/request/person.ts'
import { findPayment } from '../ledger/payment.ts'
import type { RecordEvent } from '../notifications/webhooks/queue-event.ts'
import { readableMessages } from './messages/discussion.ts'
import { findMessage } from './messages/message.ts'
import { findOrder } from './order.ts'
import { jsonOfMessage, jsonOfOrderContents } from './order-json.ts'
import { jsonOfPayment } from './payments/payment-json.ts'

// Other programs are told of records as the API shows them. What it shows to one reader only is no part of it.

type Circumstances = Pick<RecordEvent, 'subject' | 'send_at'>

export function queueOrderEvent(server: FastifyInstance, type: 'order.created' | 'order.status_changed', id: number, more?: Circumstances) {
  const data = () => {
    const order = findOrder(server.db, id)
    return order && jsonOfOrderContents({ server, actor: reader }, order)
  }
  server.queueEvent({ type, data, ...more })
}

export function queueMessageEvent(server: FastifyInstance, id: number, more?: Circumstances): void {
  const viewer = { server, actor: reader }
  const data = () => {
    const found = findMessage(server.db, id)
    const [message] = found ? readableMessages(viewer, found, 1) : []
    return message && jsonOfMessage(viewer, message)
  }
  server.queueEvent({ type: 'order.message', data, ...more })
}

export function queuePaymentEvent(
  server: FastifyInstance,
  type: 'payment.reported' | 'payment.confirmed',
  id: number,
  more?: Circumstances,
) {
  const data = () => {
    const payment = findPayment(server.db, id)
    return payment && jsonOfPayment({ server, actor: reader }, payment)
  }
  server.queueEvent({ type, data, ...more })
}

/** Sees what superadministrators see, who decide what is sent where. */
const reader: Person = {
  ...{ id: 0, group_id: group.administrator, superadmin: true, name: '', lastname: '' },
  ...{ email: '', middlename: null, image: null, language: null, theme: null },
  ...{ company_id: null, stock_id: null, manufacture_id: null, policies: new Set<string>() },
}
