import type { FastifyInstance } from 'fastify'
import type { Author, Database } from '../../../database/index.ts'
import { HttpError } from '../../../http/request/errors.ts'
import { bookPayment } from '../../ledger/book.ts'
import { nameOf, type Payment, updatePayment } from '../../ledger/payment.ts'
import { queuePaymentEvent } from '../events.ts'
import { moveWhenPaid } from '../transitions/move-when-paid.ts'
import { tellOfPayment } from './tell-of-payment.ts'

/** Somebody else has decided about it meanwhile. */
export class PaymentDecided extends HttpError {}

/**
 * Books a payment, tells its dealer and other programs; one that is confirmed already stays as it is. Call it inside `write`.
 * @throws PaymentDecided (409) when it was rejected, BalanceTooLarge
 */
export function confirmPayment(app: FastifyInstance, payment: Payment, author: Author): void {
  if (payment.state === 'confirmed') return
  refuseDecided(payment)
  decide(app.db, payment, { state: 'confirmed' }, author)
  bookPayment(app.db, payment, author)
  tellOfPayment(app, payment, 'payment-confirmed', author)
  queuePaymentEvent(app, 'payment.confirmed', payment.id)
  moveWhenPaid({ server: app, author }, payment.order_id)
}

/**
 * Says that a reported payment has not arrived, and tells its dealer; one that is rejected already keeps its reason. Call it inside `write`.
 * @throws PaymentDecided (409) when it was confirmed
 */
export function rejectPayment(app: FastifyInstance, payment: Payment, reason: string, author: Author): void {
  if (payment.state === 'rejected') return
  refuseDecided(payment)
  decide(app.db, payment, { state: 'rejected', reason }, author)
  tellOfPayment(app, payment, 'payment-rejected', author)
}

function refuseDecided({ state, decider_name }: Payment): void {
  if (state === 'confirmed') throw new PaymentDecided(409, '{name} has confirmed this payment.', { name: decider_name })
  if (state === 'rejected') throw new PaymentDecided(409, '{name} has rejected this payment.', { name: decider_name })
}

function decide(db: Database, payment: Payment, decision: Partial<Payment>, author: Author): void {
  const decider = { decider_id: author.id, decider_name: nameOf(author), decided_at: Date.now() }
  updatePayment(db, payment, { ...decision, ...decider }, author)
}
