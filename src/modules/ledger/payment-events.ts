import type { FastifyInstance } from 'fastify'
import type { WebhookEvent } from '../../database/index.ts'
import { eventReader, queueEvent, type RecordEvent } from '../notifications/webhooks/queue-event.ts'
import { findPayment } from './payment.ts'
import { jsonOfPayment } from './payment-json.ts'

type PaymentEvent = Extract<WebhookEvent, `payment.${string}`>

export function queuePaymentEvent(
  server: FastifyInstance,
  type: PaymentEvent,
  id: number,
  more?: Pick<RecordEvent, 'subject' | 'send_at'>,
): void {
  const data = () => {
    const payment = findPayment(server.db, id)
    return payment && jsonOfPayment({ server, actor: eventReader }, payment)
  }
  queueEvent(server, { type, data, ...more })
}
