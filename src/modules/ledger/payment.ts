import { and, desc, eq, ne, sql } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import { type Author, createRecord, type Database, logRow, payments, prepareOnce, updateRecord } from '../../database/index.ts'
import { uploadedName } from '../../http/uploads/uploaded.ts'
import { withdrawNotifications } from '../notifications/queue.ts'
import { BalanceTooLarge } from './book.ts'

export type Payment = typeof payments.$inferSelect

export type NewPayment = Pick<Payment, 'order_id' | 'amount' | 'date' | 'kind'> & Partial<Pick<Payment, 'file' | 'note' | 'statement_line'>>

/**
 * Somebody says that an order was paid; nothing is booked before it is confirmed. Call it inside `write`.
 * @throws BalanceTooLarge
 */
export function reportPayment(db: Database, payment: NewPayment, author: Author): Payment {
  if (!Number.isSafeInteger((sumOf(db).get({ order: payment.order_id })?.sum ?? 0) + payment.amount)) throw new BalanceTooLarge()
  const reporter = { reporter_id: author.id, reporter_name: nameOf(author) }
  const id = createRecord(db, payments, { ...payment, ...reporter, state: 'reported' }, labelOf(payment), author)
  return findPayment(db, id) as Payment
}

/** Saves what differs, with its history. Call it inside `write`. */
export function updatePayment(db: Database, payment: Payment, values: Partial<Payment>, author: Author): void {
  updateRecord(db, payments, payment, values, labelOf(payment), author)
}

/** Takes back a payment that nobody has decided about, as if it had not been reported. Call it inside `write`. */
export function withdrawPayment(app: FastifyInstance, payment: Payment, author: Author): void {
  const { id } = payment
  withdrawNotifications(app, { payment_id: id })
  app.db.delete(payments).where(eq(payments.id, id)).run()
  logRow(app.db, payments, { action: 'delete', id, label: labelOf(payment), before: payment }, author)
}

/** The history calls a payment by its order. */
const labelOf = ({ order_id }: Pick<Payment, 'order_id'>) => `#${order_id}`

/** How its file is called; the reporter may have sent the same content under another name since. */
export function paymentFileName(db: Database, { file, reporter_id, created_at }: Payment): string | undefined {
  // The clock of SQLite may be behind by a millisecond.
  return file === null ? undefined : (uploadedName(db, file, reporter_id ?? 0, created_at + 1) ?? file)
}

/** The newest first. */
export function paymentsOf(db: Database, orderId: number): Payment[] {
  return ofOrder(db).all({ order: orderId })
}

/** Kopecks that were reported for an order and wait for a decision. */
export function reportedSum(db: Database, orderId: number): number {
  return sumOfReported(db).get({ order: orderId })?.sum ?? 0
}

export function findPayment(db: Database, id: number): Payment | undefined {
  return byId(db).get({ id })
}

/** With whoever acts for somebody else. */
export function nameOf({ name, impersonator }: Author): string {
  return impersonator ? `${name} (${impersonator.name})` : name
}

const byId = prepareOnce((db, params) => db.select().from(payments).where(eq(payments.id, params.id)).prepare())

const ofOrder = prepareOnce((db, params) =>
  db.select().from(payments).where(eq(payments.order_id, params.order)).orderBy(desc(payments.date), desc(payments.id)).prepare(),
)

const sumOf = prepareOnce((db, params) =>
  db
    .select({ sum: sql<number | null>`sum(${payments.amount})` })
    .from(payments)
    .where(and(eq(payments.order_id, params.order), ne(payments.state, 'rejected')))
    .prepare(),
)

const sumOfReported = prepareOnce((db, params) =>
  db
    .select({ sum: sql<number | null>`sum(${payments.amount})` })
    .from(payments)
    .where(and(eq(payments.order_id, params.order), eq(payments.state, 'reported')))
    .prepare(),
)
