import { and, desc, eq, ne, sql } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import { type Author, type Database, payments, prepareOnce } from '../../database/index.ts'
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
  return db
    .insert(payments)
    .values({ ...payment, ...reporter, state: 'reported' })
    .returning()
    .get()
}

/** Takes back a payment that nobody has decided about, as if it had not been reported. Call it inside `write`. */
export function withdrawPayment(app: FastifyInstance, { id }: Payment): void {
  withdrawNotifications(app, { payment_id: id })
  app.db.delete(payments).where(eq(payments.id, id)).run()
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

const byId = prepareOnce((db, given) => db.select().from(payments).where(eq(payments.id, given.id)).prepare())

const ofOrder = prepareOnce((db, given) =>
  db.select().from(payments).where(eq(payments.order_id, given.order)).orderBy(desc(payments.date), desc(payments.id)).prepare(),
)

const sumOf = prepareOnce((db, given) =>
  db
    .select({ sum: sql<number | null>`sum(${payments.amount})` })
    .from(payments)
    .where(and(eq(payments.order_id, given.order), ne(payments.state, 'rejected')))
    .prepare(),
)

const sumOfReported = prepareOnce((db, given) =>
  db
    .select({ sum: sql<number | null>`sum(${payments.amount})` })
    .from(payments)
    .where(and(eq(payments.order_id, given.order), eq(payments.state, 'reported')))
    .prepare(),
)
