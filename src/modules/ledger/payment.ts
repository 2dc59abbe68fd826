import { and, asc, desc, eq, getTableColumns, ne, sql } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import { allows } from '../../core/access.ts'
import {
  type Author,
  allocations,
  companies,
  createRecord,
  type Database,
  logRow,
  orders,
  payments,
  prepareOnce,
  updateRecord,
  whereIn,
} from '../../database/index.ts'
import type { FindRecord } from '../../http/request/route-policy.ts'
import { uploadedName } from '../../http/uploads/uploaded.ts'
import type { AttachmentSource } from '../../records/attachments.ts'
import { withdrawNotifications } from '../notifications/queue.ts'
import { type PaymentFacts, paymentAccess } from './access.ts'
import { companyOfEntries } from './balance.ts'
import { BalanceTooLarge } from './book.ts'

/** A payment with what decides about access to it. */
export type Payment = typeof payments.$inferSelect & PaymentFacts & { org: string | null }

type PaymentValues = typeof payments.$inferSelect

export type NewPayment = Pick<PaymentValues, 'amount' | 'date' | 'kind'> &
  Partial<Pick<PaymentValues, 'company_id' | 'order_id' | 'direction' | 'file' | 'note' | 'statement_line' | 'payer' | 'corrects_id'>>

/**
 * Somebody says that a company has paid, for an order or in advance; nothing is booked before it is confirmed. Call it inside `write`.
 * @throws BalanceTooLarge
 */
export function reportPayment(db: Database, payment: NewPayment, author: Author): Payment {
  const { order_id = null, company_id = order_id === null ? null : companyOfEntries(db, order_id) } = payment
  const reported = order_id === null ? 0 : (sumOf(db).get({ order: order_id })?.sum ?? 0)
  if (!Number.isSafeInteger(reported + payment.amount)) throw new BalanceTooLarge()
  const reporter = { reporter_id: author.id, reporter_name: nameOf(author) }
  const values = { ...payment, order_id, company_id, ...reporter, state: 'reported' } as const
  return findPayment(db, createRecord(db, payments, values, paymentLabel(values), author)) as Payment
}

/** Saves what differs, with its history. Call it inside `write`. */
export function updatePayment(db: Database, payment: Payment, values: Partial<PaymentValues>, author: Author): void {
  updateRecord(db, payments, payment, values, paymentLabel(payment), author)
}

/** Takes back a payment that nobody has decided about, as if it had not been reported. Call it inside `write`. */
export function withdrawPayment(app: FastifyInstance, payment: Payment, author: Author): void {
  const { id } = payment
  withdrawNotifications(app, { payment_id: id })
  const before = app.db.delete(payments).where(eq(payments.id, id)).returning().get()
  logRow(app.db, payments, { action: 'delete', id, label: paymentLabel(payment), before }, author)
}

/** The history calls a payment by its order, one without by its day. */
export const paymentLabel = ({ order_id, date }: Pick<PaymentValues, 'order_id' | 'date'>) => (order_id === null ? date : `#${order_id}`)

/** How its file is called; the reporter may have sent the same content under another name since. */
export function paymentFileName(db: Database, { file, reporter_id, created_at }: PaymentValues): string | undefined {
  // The clock of SQLite may be behind by a millisecond.
  return file === null ? undefined : (uploadedName(db, file, reporter_id ?? 0, created_at + 1) ?? file)
}

export const paymentFiles: AttachmentSource = (db, key) => {
  const found = byFile(db).all({ key })
  return found.map((payment) => ({
    record: { entity: 'payments', id: payment.id },
    name: paymentFileName(db, payment),
    mayRead: (actor) => allows(paymentAccess.view, actor, payment),
  }))
}

/** Those that were reported for an order, pay it, or did until they were reversed; the newest first. */
export function paymentsOf(db: Database, orderId: number): Payment[] {
  return ofOrder(db).all({ order: orderId })
}

/** Kopecks that were reported for an order and wait for a decision. */
export const reportedSum = (db: Database, orderId: number): number => reportedSums(db, [orderId]).get(orderId) ?? 0

/** The same of some orders, by their ids. */
export function reportedSums(db: Database, ids: number[]): Map<number | null, number> {
  if (ids.length === 0) return new Map()
  return new Map(
    sumsOfReported(db)
      .all({ ids: JSON.stringify(ids) })
      .map(({ order, sum }) => [order, sum]),
  )
}

/** The newest payments of some orders where these were rejected, by the ids of the orders. */
export function rejectedOf(db: Database, ids: number[]): Map<number | null, number> {
  if (ids.length === 0) return new Map()
  return new Map(
    lastRejected(db)
      .all({ ids: JSON.stringify(ids) })
      .map(({ order, id }) => [order, id]),
  )
}

export const findPayment: FindRecord<Payment> = (db, id) => byId(db).get({ id })

export function findPayments(db: Database, ids: readonly number[]): Map<number, Payment> {
  const rows = byIds(db).all({ ids: JSON.stringify(ids) })
  return new Map(rows.map((row) => [row.id, row]))
}

/** With whoever acts for somebody else. */
export function nameOf({ name, impersonator }: Author): string {
  return impersonator ? `${name} (${impersonator.name})` : name
}

/** Payments with what decides about access to them. */
export const selectPayments = (db: Database) =>
  db
    .select({
      ...getTableColumns(payments),
      org: companies.org,
      manager_id: sql<number | null>`coalesce(${companies.manager_id}, ${orders.owner_manager_id})`,
      company_manufacture_id: companies.manufacture_id,
      company_stock_id: companies.stock_id,
    })
    .from(payments)
    .leftJoin(companies, eq(companies.id, payments.company_id))
    .leftJoin(orders, eq(orders.id, payments.order_id))

const byId = prepareOnce((db, params) => selectPayments(db).where(eq(payments.id, params.id)).prepare())

const byIds = prepareOnce((db, params) => selectPayments(db).where(whereIn(payments.id, params.ids)).prepare())

const byFile = prepareOnce((db, params) => selectPayments(db).where(eq(payments.file, params.key)).orderBy(asc(payments.id)).prepare())

const ofOrder = prepareOnce((db, params) => {
  const paid = sql`select ${allocations.payment_id} from ${allocations} where ${allocations.order_id} = ${params.order}`
  const paying = sql`(${payments.id} in (${paid} group by 1 having sum(${allocations.amount}) > 0)
    or ${payments.state} = 'reversed' and ${payments.id} in (${paid}))`
  const named = sql`(${payments.order_id} = ${params.order} and ${payments.direction} = 'incoming')`
  return selectPayments(db).where(sql`${named} or ${paying}`).orderBy(desc(payments.date), desc(payments.id)).prepare()
})

const sumOf = prepareOnce((db, params) =>
  db
    .select({ sum: sql<number | null>`sum(${payments.amount})` })
    .from(payments)
    .where(and(eq(payments.order_id, params.order), ne(payments.state, 'rejected')))
    .prepare(),
)

const lastRejected = prepareOnce((db, params) => {
  const newest = sql`${payments.id} = (select max(id) from ${payments} as later where later.order_id = ${payments.order_id})`
  return db
    .select({ order: payments.order_id, id: payments.id })
    .from(payments)
    .where(and(whereIn(payments.order_id, params.ids), eq(payments.state, 'rejected'), newest))
    .prepare()
})

const sumsOfReported = prepareOnce((db, params) =>
  db
    .select({ order: payments.order_id, sum: sql<number>`sum(${payments.amount})` })
    .from(payments)
    .where(and(whereIn(payments.order_id, params.ids), eq(payments.state, 'reported')))
    .groupBy(payments.order_id)
    .prepare(),
)
