import type { FastifyInstance } from 'fastify'
import type { Author } from '../../../database/index.ts'
import { whomAllows } from '../../../http/access/permitted-people.ts'
import { realAuthorOf } from '../../../http/request/person.ts'
import type { Payment } from '../../ledger/payment.ts'
import type { PaymentNotice } from '../../notifications/notices.ts'
import { queueNotifications } from '../../notifications/queue.ts'
import { orderAccess } from '../access.ts'
import { queuePaymentEvent } from '../events.ts'
import { findOrder } from '../order.ts'
import { findPartyMembers } from '../recipients.ts'

type Told = Pick<Payment, 'id' | 'order_id'>

/**
 * Tells those who may confirm a reported payment, and other programs: with a step that can be undone, when it no longer can. Call it
 * inside `write`.
 */
export function tellOfReport(
  app: FastifyInstance,
  payment: Told,
  author: Author,
  held: { subject?: string; send_at?: number | null } = {},
): void {
  tellOfPayment(app, payment, 'payment-reported', author, held.send_at)
  queuePaymentEvent(app, 'payment.reported', payment.id, held)
}

/**
 * Notifies of a payment: those who may confirm a reported one, otherwise the dealer of its order; of them whoever may see it. Whoever was
 * impersonated learns what was done in their name. Call it inside `write`.
 */
export function tellOfPayment(
  app: FastifyInstance,
  { id, order_id }: Told,
  event: PaymentNotice,
  author: Author,
  send_at?: number | null,
): void {
  const order = findOrder(app.db, order_id)
  if (!order) return
  const { manager, admin, dealer } = findPartyMembers(app.db, order)
  const involved =
    event === 'payment-reported'
      ? whomAllows(app.db, orderAccess.decidePayment, order, [...manager, ...admin])
      : whomAllows(app.db, orderAccess.viewPayments, order, dealer)
  const impersonated = author.impersonator && author.id !== null ? whomAllows(app.db, orderAccess.viewPayments, order, [author.id]) : []
  queueNotifications(app, {
    recipients: [...new Set([...involved, ...impersonated].map((person) => person.id))],
    acted: realAuthorOf(author).id,
    order_id,
    payment_id: id,
    event,
    ...(send_at && { send_at }),
  })
}
