import type { Author, Database } from '../../../database/index.ts'
import { authorize } from '../../../http/access/policy-hook.ts'
import { url } from '../../../http/request/addresses.ts'
import type { Context } from '../../../http/request/context.ts'
import { HttpError } from '../../../http/request/errors.ts'
import { subjectOf } from '../../../records/import/import.ts'
import { attemptAll } from '../../../records/jobs/attempt-all.ts'
import { addJob, bulkLimit, type JobKind } from '../../../records/jobs/job.ts'
import { paymentAccess } from '../../ledger/access.ts'
import { findPayment, type Payment, reportPayment, updatePayment } from '../../ledger/payment.ts'
import type { Order } from '../../orders/order.ts'
import { confirmPayment } from '../decision.ts'
import { findByHand } from './by-hand.ts'
import type { LinedRow } from './columns.ts'
import { findBooked, findReported, payableOrder, payersOf } from './match.ts'

/** What somebody wants to become of a row. */
export interface Booking {
  row: LinedRow
  orderId: number
  /** The payment confirmed by hand that it is. */
  paymentId?: number
  /** The payment confirmed by hand that it is not. */
  besides?: number
}

interface ManyBooked {
  statement: number
  bookings: Booking[]
}

/**
 * Books rows of a statement, each as a payment of the order that was seen beside it; what was booked already stays as it is. Very many
 * become a job. Call it inside `write`.
 * @returns how many were booked, or the address of the job
 */
export function bookRows(context: Context, statement: number, bookings: Booking[]): number | string {
  if (bookings.length <= bulkLimit) return bookings.filter((booking) => bookRow(context, booking)).length
  const payload: ManyBooked = { statement, bookings }
  return addJob(context, { kind: 'book', list: 'payments', subject: subjectOf({ id: statement }), total: bookings.length, payload })
}

export const bookJob: JobKind<ManyBooked> = {
  perform(context, { payload, done }, size) {
    authorize(paymentAccess.add, context.actor)
    const bookings = new Map(payload.bookings.slice(done, done + size).map((booking) => [booking.row.row, booking]))
    const refused = attemptAll(context, [...bookings.keys()], (rows) => {
      for (const row of rows) bookRow(context, bookings.get(row) as Booking)
    })
    return { done: bookings.size, skipped: refused.map(({ id, reason }) => ({ id, label: bookings.get(id)?.row.words ?? '', reason })) }
  },
  links: ({ server }, { payload }) => ({ back: url(server, `/payments/import/${payload.statement}`) }),
}

function bookRow(context: Context, { row, orderId, paymentId, besides }: Booking): boolean {
  const { server } = context
  const order = payableOrder(context, orderId)
  if (!order)
    throw new HttpError(422, 'Order {number} is not there, or its payments are not yours to confirm.', { number: `№\u00a0${orderId}` })
  if (findBooked(server.db, row)) return false
  if (paymentId !== undefined) linkPayment(context, row, paymentId)
  else if (besides === undefined && findByHand(context, row, payersOf(server.db, row), order))
    throw new HttpError(409, 'A payment of this amount was confirmed by hand meanwhile. Nothing was booked.')
  else confirmPayment(context, paymentFor(context, order, row))
  return true
}

/** Money that is in the ledger already: only the line is written to its payment. */
function linkPayment({ server: { db }, author }: Context, { line, kopecks }: LinedRow, id: number): void {
  const payment = findPayment(db, id)
  if (payment?.state !== 'confirmed' || payment.amount !== kopecks || payment.statement_line !== null)
    throw new HttpError(409, 'This payment is booked from a statement already, or of another amount. Nothing was booked.')
  change(db, payment, { statement_line: line }, author)
}

/** The payment that was reported, with the bank's words below its note, or a new one. */
function paymentFor({ server: { db }, author }: Context, order: Order, row: LinedRow): Payment {
  const { words, line: statement_line, kopecks: amount, date } = row
  const reported = findReported(db, order, row)
  if (reported) return change(db, reported, { statement_line, note: reported.note ? `${reported.note}\n${words}` : words }, author)
  return reportPayment(db, { order_id: order.id, amount, date, kind: 'transfer', note: words, statement_line }, author)
}

function change(db: Database, payment: Payment, values: Partial<Payment>, author: Author): Payment {
  updatePayment(db, payment, values, author)
  return findPayment(db, payment.id) as Payment
}
