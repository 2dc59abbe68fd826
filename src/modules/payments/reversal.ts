import { distribute } from '../../core/payments.ts'
import type { Context } from '../../http/request/context.ts'
import { ValidationFailed } from '../../http/request/errors.ts'
import { today } from '../../i18n/format.ts'
import { allocationsOf, takeBackAll } from '../ledger/allocations.ts'
import { bookReversal } from '../ledger/book.ts'
import { closedUntil } from '../ledger/closed-days.ts'
import { findPayment, nameOf, type Payment, reportPayment, updatePayment } from '../ledger/payment.ts'
import { queuePaymentEvent } from '../ledger/payment-events.ts'
import { bookRefund } from '../ledger/refund.ts'
import { tellOfPayment } from '../ledger/tell-of-payment.ts'
import { confirmPayment, PaymentDecided } from './decision.ts'

interface Reversal {
  reason: string
  /** The day of the counter-entry (YYYY-MM-DD): not before that of the payment, not in the future. */
  date: string
}

/**
 * Takes back a confirmed payment or refund: a counter-entry, what it pays ends, and its orders lack again. Whoever was told of it is told. Call
 * it inside `write`.
 * @throws PaymentDecided (409) where it is not confirmed, ValidationFailed, ClosedDay
 */
export function reversePayment(context: Context, payment: Payment, { reason, date }: Reversal): void {
  const { server, author } = context
  const { db } = server
  if (payment.state === 'reversed') throw new PaymentDecided(409, '{name} has reversed this payment.', { name: payment.reverser_name })
  if (payment.state !== 'confirmed' || payment.company_id === null)
    throw new PaymentDecided(409, 'Only a confirmed payment can be reversed.')
  if (date > today()) throw new ValidationFailed({ date: 'A payment cannot be dated in the future.' })
  if (date < payment.date) throw new ValidationFailed({ date: 'This day is before that of the payment.' })
  const booked = { ...payment, company_id: payment.company_id }
  takeBackAll(db, payment, date, author)
  bookReversal(db, booked, { date, reason }, author)
  const reverser = { reversed_on: date, reverser_id: author.id, reverser_name: nameOf(author), reversed_at: Date.now() }
  updatePayment(db, payment, { state: 'reversed', reason, ...reverser, ...withoutLine(payment) }, author)
  tellOfPayment(server, payment, 'payment-reversed', author)
  queuePaymentEvent(server, 'payment.reversed', payment.id)
}

/** Its line of a bank statement may be booked anew; the note keeps what it said. */
function withoutLine({ statement_line, note }: Payment) {
  return statement_line === null ? {} : { statement_line: null, note: note ?? statement_line }
}

type Correction = Pick<Payment, 'amount' | 'date'> & Pick<Reversal, 'reason'>

/**
 * Reverses a payment on its own day, or today where that is closed, and enters it anew with another amount or day, paying the same orders in
 * the same order. Call it inside `write`.
 * @returns the payment that counts now
 */
export function correctPayment(context: Context, payment: Payment, { amount, date, reason }: Correction): Payment {
  const { server, author } = context
  const paid = allocationsOf(server.db, payment.id)
  const { company_id, order_id, kind, file, note, payer, id: corrects_id } = payment
  const day = closedUntil(server.db, payment.date) ? today() : payment.date
  reversePayment(context, payment, { reason, date: day })
  const values = { company_id, order_id, amount, date, kind, file, note, payer, corrects_id }
  if (payment.direction === 'refund') return bookRefund(server.db, { ...values, company_id: company_id as number }, author)
  const entered = reportPayment(server.db, values, author)
  confirmPayment(context, entered, distribute(amount, paid))
  return findPayment(server.db, entered.id) as Payment
}
