import type { FastifyInstance } from 'fastify'
import { eventReader, queueEvent, type RecordEvent } from '../notifications/webhooks/queue-event.ts'
import { readableMessages } from './messages/discussion.ts'
import { findMessage } from './messages/message.ts'
import { findOrder } from './order.ts'
import { jsonOfMessage, jsonOfOrderContents } from './order-json.ts'

// Other programs are told of records as the API shows them. What it shows to one reader only is no part of it.

type Circumstances = Pick<RecordEvent, 'subject' | 'send_at'>

export function queueOrderEvent(
  server: FastifyInstance,
  type: 'order.created' | 'order.status_changed' | 'order.changed',
  id: number,
  more?: Circumstances,
) {
  const data = () => {
    const order = findOrder(server.db, id)
    return order && jsonOfOrderContents({ server, actor: eventReader }, order)
  }
  queueEvent(server, { type, data, ...more })
}

export function queueMessageEvent(server: FastifyInstance, id: number, more?: Circumstances): void {
  const viewer = { server, actor: eventReader }
  const data = () => {
    const found = findMessage(server.db, id)
    const [message] = found ? readableMessages(viewer, found, 1) : []
    return message && jsonOfMessage(viewer, message)
  }
  queueEvent(server, { type: 'order.message', data, ...more })
}
