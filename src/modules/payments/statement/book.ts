import type { Author, Database } from '../../../database/index.ts'
import { authorize } from '../../../http/access/authorize.ts'
import { url } from '../../../http/request/addresses.ts'
import type { Context } from '../../../http/request/context.ts'
import { HttpError } from '../../../http/request/errors.ts'
import { subjectOf } from '../../../records/import/import.ts'
import { attemptAll } from '../../../records/jobs/attempt-all.ts'
import { addJob, bulkLimit, type JobKind } from '../../../records/jobs/job.ts'
import { paymentAccess } from '../../ledger/access.ts'
import { findPayment, type Payment, reportPayment, updatePayment } from '../../ledger/payment.ts'
import { bookRefund } from '../../ledger/refund.ts'
import { confirmPayment } from '../decision.ts'
import { findByHand } from './by-hand.ts'
import type { LinedRow } from './columns.ts'
import { findBooked, findReported } from './match.ts'
import { payerOf } from './payers.ts'
import { type Found, findTarget, splitOver, type Target } from './target.ts'

/** What somebody wants to become of a row. */
export interface Booking {
  row: LinedRow
  target: Target
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
 * Books rows of a statement, each to what was seen beside it; what was booked already stays as it is. Very many become a job. Call it inside `write`.
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

function bookRow(context: Context, { row, target, paymentId, besides }: Booking): boolean {
  const { db } = context.server
  const found = findTarget(context, row, target)
  if ('message' in found) throw new HttpError(422, found.message)
  if (findBooked(db, row)) return false
  if (paymentId !== undefined) linkPayment(context, row, paymentId)
  else if (besides === undefined && findByHand(context, row, found.orders, found.company_id))
    throw new HttpError(409, 'A payment of this amount was confirmed by hand meanwhile. Nothing was booked.')
  else if (row.outgoing) refund(context, row, found)
  else confirmPayment(context, paymentFor(context, found, row), splitOver(context, row.kopecks, found.orders))
  return true
}

/** Money that is in the ledger already: only the line is written to its payment. */
function linkPayment({ server: { db }, author }: Context, row: LinedRow, id: number): void {
  const payment = findPayment(db, id)
  const direction = row.outgoing ? 'refund' : 'incoming'
  const isThat = payment?.state === 'confirmed' && payment.direction === direction && payment.amount === row.kopecks
  if (!isThat || payment.statement_line !== null)
    throw new HttpError(409, 'This payment is already booked from a statement, or has another amount. Nothing was booked.')
  change(db, payment, bankValues(row), author)
}

const bankValues = (row: LinedRow) => ({ statement_line: row.line, payer: row.outgoing ? null : payerOf(row) })

function refund({ server: { db }, author }: Context, row: LinedRow, { company_id, orders: [order] }: Found): void {
  const { kopecks: amount, date, words: note, line: statement_line } = row
  const values = { company_id: company_id as number, order_id: order?.id ?? null, amount, date, note, statement_line }
  bookRefund(db, { ...values, kind: 'transfer' }, author)
}

/** The payment that was reported, with the bank's words below its note, or a new one. */
function paymentFor({ server: { db }, author }: Context, found: Found, row: LinedRow): Payment {
  const { words, kopecks: amount, date } = row
  const reported = findReported(db, found, row)
  if (reported) return change(db, reported, { ...bankValues(row), note: reported.note ? `${reported.note}\n${words}` : words }, author)
  const [order, second] = found.orders
  const order_id = order && !second ? order.id : undefined
  const company_id = order_id === undefined ? found.company_id : undefined
  return reportPayment(db, { order_id, company_id, amount, date, kind: 'transfer', note: words, ...bankValues(row) }, author)
}

function change(db: Database, payment: Payment, values: Partial<Payment>, author: Author): Payment {
  updatePayment(db, payment, values, author)
  return findPayment(db, payment.id) as Payment
}
