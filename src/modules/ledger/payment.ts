import { and, desc, eq, ne, sql } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import { type Author, type Database, payments, prepareOnce } from '../../database/index.ts'
import { HttpError } from '../../web/http.ts'
import { BalanceTooLarge, bookPayment } from './book.ts'

export type Payment = typeof payments.$inferSelect

export type NewPayment = Pick<Payment, 'order_id' | 'amount' | 'date' | 'kind'> & Partial<Pick<Payment, 'file' | 'note'>>

/** Somebody else has decided about it meanwhile. */
export class PaymentDecided extends HttpError {}

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

/**
 * Books a payment and tells other programs; one that is confirmed already stays as it is. Call it inside `write`.
 * @throws PaymentDecided (409) when it was rejected, BalanceTooLarge
 */
export function confirmPayment({ db, queueEvent }: FastifyInstance, payment: Payment, author: Author): void {
  if (payment.state === 'confirmed') return
  refuseDecided(payment)
  decide(db, payment, { state: 'confirmed' }, author)
  bookPayment(db, payment, author)
  queueEvent({ type: 'payment.confirmed', record: payment.id })
}

/**
 * Says that a reported payment has not arrived; one that is rejected already keeps its reason. Call it inside `write`.
 * @throws PaymentDecided (409) when it was confirmed
 */
export function rejectPayment(db: Database, payment: Payment, reason: string, author: Author): void {
  if (payment.state === 'rejected') return
  refuseDecided(payment)
  decide(db, payment, { state: 'rejected', reason }, author)
}

/** Takes back what was reported, as if it had not been. Call it inside `write`. */
export function withdrawPayment(db: Database, { id }: Payment): void {
  db.delete(payments)
    .where(and(eq(payments.id, id), eq(payments.state, 'reported')))
    .run()
}

/** The newest first. */
export function paymentsOf(db: Database, orderId: number): Payment[] {
  return ofOrder(db).all({ order: orderId })
}

export function findPayment(db: Database, id: number): Payment | undefined {
  return byId(db).get({ id })
}

function refuseDecided({ state, decider_name }: Payment): void {
  if (state === 'confirmed') throw new PaymentDecided(409, '{name} has confirmed this payment.', { name: decider_name })
  if (state === 'rejected') throw new PaymentDecided(409, '{name} has rejected this payment.', { name: decider_name })
}

function decide(db: Database, { id, version }: Payment, decision: Partial<Payment>, author: Author): void {
  const now = Date.now()
  const decider = { decider_id: author.id, decider_name: nameOf(author), decided_at: now }
  db.update(payments)
    .set({ ...decision, ...decider, version: version + 1, updated_at: now })
    .where(eq(payments.id, id))
    .run()
}

/** With whoever acts for somebody else. */
function nameOf({ name, impersonator }: Author): string {
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
