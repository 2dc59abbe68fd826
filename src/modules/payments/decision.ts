import type { Author, Database } from '../../database/index.ts'
import type { Context } from '../../http/request/context.ts'
import { HttpError } from '../../http/request/errors.ts'
import type { Allocation } from '../ledger/allocations.ts'
import { companyOfEntries } from '../ledger/balance.ts'
import { bookPayment } from '../ledger/book.ts'
import { limitReports } from '../ledger/limit-reports.ts'
import { findPayment, type NewPayment, nameOf, type Payment, reportPayment, updatePayment } from '../ledger/payment.ts'
import { queuePaymentEvent } from '../ledger/payment-events.ts'
import { tellOfPayment, tellOfReport } from '../ledger/tell-of-payment.ts'
import { splitPayment } from './split.ts'

/** Somebody else has decided about it meanwhile. */
export class PaymentDecided extends HttpError {}

/**
 * Reports a payment, or enters one that is confirmed at once. Call it inside `write`.
 * @returns the payment as it is now
 */
export function enterPayment(context: Context, values: NewPayment, confirms: boolean, split?: Allocation[]): Payment {
  const { server, author } = context
  limitReports(context, values)
  const payment = reportPayment(server.db, values, author)
  if (confirms) confirmPayment(context, payment, split)
  else tellOfReport(server, payment, author)
  return findPayment(server.db, payment.id) as Payment
}

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
