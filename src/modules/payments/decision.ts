import type { Author, Database } from '../../database/index.ts'
import type { Context } from '../../http/request/context.ts'
import { HttpError } from '../../http/request/errors.ts'
import type { Allocation } from '../ledger/allocations.ts'
import { bookPayment, companyOfEntries } from '../ledger/book.ts'
import { nameOf, type Payment, updatePayment } from '../ledger/payment.ts'
import { queuePaymentEvent } from '../ledger/payment-events.ts'
import { tellOfPayment } from '../ledger/tell-of-payment.ts'
import { splitPayment } from './split.ts'

/** Somebody else has decided about it meanwhile. */
export class PaymentDecided extends HttpError {}

/**
 * Books a payment, pays orders with it as far as they lack money, tells dealers and other programs; one that is confirmed already stays as it
 * is. Call it inside `write`.
 * @param split what it pays; without it the order it was reported for
 * @throws PaymentDecided (409) when it was rejected, HttpError (422) when it is of no company, BalanceTooLarge, ClosedDay, ValidationFailed
 */
export function confirmPayment(context: Context, payment: Payment, split = ofNamedOrder(payment)): void {
  if (payment.state === 'confirmed') return
  refuseDecided(payment)
  const { server, author } = context
  const { db } = server
  const { id, order_id } = payment
  const company_id = order_id === null ? payment.company_id : companyOfEntries(db, order_id)
  if (company_id === null) throw new HttpError(422, 'This order belongs to no company.')
  decide(db, payment, { state: 'confirmed', company_id }, author)
  const booked = { ...payment, company_id, state: 'confirmed', version: payment.version + 1 } as const
  bookPayment(db, booked, author)
  splitPayment(context, booked, split, payment.date)
  tellOfPayment(server, payment, 'payment-confirmed', author)
  queuePaymentEvent(server, 'payment.confirmed', id)
}

const ofNamedOrder = ({ order_id, amount }: Payment): Allocation[] => (order_id === null ? [] : [{ order_id, amount }])

/**
 * Says that a reported payment has not arrived, and tells its dealer; one that is rejected already keeps its reason. Call it inside `write`.
 * @throws PaymentDecided (409) when it was confirmed
 */
export function rejectPayment({ server, author }: Context, payment: Payment, reason: string): void {
  if (payment.state === 'rejected') return
  refuseDecided(payment)
  decide(server.db, payment, { state: 'rejected', reason }, author)
  tellOfPayment(server, payment, 'payment-rejected', author)
  queuePaymentEvent(server, 'payment.rejected', payment.id)
}

function refuseDecided({ state, decider_name: name, reverser_name }: Payment): void {
  if (state === 'confirmed') throw new PaymentDecided(409, '{name} has confirmed this payment.', { name })
  if (state === 'rejected') throw new PaymentDecided(409, '{name} has rejected this payment.', { name })
  if (state === 'reversed') throw new PaymentDecided(409, '{name} has reversed this payment.', { name: reverser_name })
}

function decide(db: Database, payment: Payment, decision: Partial<Payment>, author: Author): void {
  const decider = { decider_id: author.id, decider_name: nameOf(author), decided_at: Date.now() }
  updatePayment(db, payment, { ...decision, ...decider }, author)
}
