import { eq } from 'drizzle-orm'
import { type Database, payments, write } from '../../../database/index.ts'
import type { Acting } from '../../../web/acting.ts'
import { HttpError } from '../../../web/http.ts'
import { type Payment, reportPayment } from '../../ledger/payment.ts'
import type { Order } from '../../orders/order.ts'
import { confirmPayment } from '../../orders/payments/decision.ts'
import { findBooked, findReported, type LinedRow, payableOrder } from './match.ts'

export interface Booking {
  row: LinedRow
  orderId: number
}

/**
 * Books rows of a statement, each as a payment of the order that was seen beside it; what was booked already stays as it is, so that what
 * an interruption left over is booked by sending the same once more. Returns how many were booked.
 */
export async function bookRows(acting: Acting, bookings: Booking[]): Promise<number> {
  const { db, longWrites } = acting.server
  let booked = 0
  await longWrites.inSlices(acting.actor.id, bookings, (slice) => {
    write(db, () => {
      const current = acting.renew()
      for (const booking of slice) if (bookRow(current, booking)) booked += 1
    })
  })
  return booked
}

function bookRow(acting: Acting, { row, orderId }: Booking): boolean {
  const { server } = acting
  const order = payableOrder(acting, orderId)
  if (!order)
    throw new HttpError(422, 'Order {number} is not there, or its payments are not yours to confirm.', { number: `№\u00a0${orderId}` })
  if (findBooked(server.db, row)) return false
  confirmPayment(server, paymentFor(acting, order, row), acting.author)
  return true
}

/** The payment that was reported, with the bank's words below its note, or a new one. */
function paymentFor({ server: { db }, author }: Acting, order: Order, row: LinedRow): Payment {
  const reported = findReported(db, order, row)
  if (reported) return addToNote(db, reported, row.line)
  return reportPayment(db, { order_id: order.id, amount: row.kopecks, date: row.date, kind: 'transfer', note: row.line }, author)
}

function addToNote(db: Database, { id, note, version }: Payment, line: string): Payment {
  const changed = { note: note ? `${note}\n${line}` : line, version: version + 1 }
  return db.update(payments).set(changed).where(eq(payments.id, id)).returning().get()
}
