import { and, asc, desc, eq, gt, isNull, or, sql } from 'drizzle-orm'
import { distribute } from '../../core/payments.ts'
import { type Author, allocations, authorColumns, companies, type Database, logRow, payments, prepareOnce } from '../../database/index.ts'
import { today } from '../../i18n/format.ts'
import { lackOf } from './balance.ts'

/** What a payment pays. */
export interface Allocation {
  order_id: number
  amount: number
}

interface NewAllocation {
  payment_id: number
  company_id: number
  order_id?: number
  refund_id?: number
  /** Less than nothing takes back. */
  amount: number
  date: string
  automatic?: boolean
}

/** Writes what a payment pays from a day on, or no longer pays: today, or the day of an entry that is booked beside it. Call it inside `write`. */
export function allocate(db: Database, allocation: NewAllocation, author: Author): void {
  if (allocation.amount === 0) return
  const { id } = db
    .insert(allocations)
    .values({ ...allocation, at: Date.now(), ...authorColumns(author) })
    .returning({ id: allocations.id })
    .get()
  const { order_id, payment_id } = allocation
  const label = order_id ? `#${order_id}` : (payerOf(db).get({ payment: payment_id })?.org ?? '')
  logRow(db, allocations, { action: 'create', id, label, after: { ...allocation } }, author)
}

/**
 * Pays an order from the credit of a company, the oldest payments first. Call it inside `write`.
 * @returns what was allocated: not more than the credit, nor than the order lacks
 */
export function payFromCredit(db: Database, order: { id: number; company_id: number }, amount: number, author: Author): number {
  const { id: order_id, company_id } = order
  const wanted = Math.min(amount, Math.max(0, lackOf(db, order_id)))
  return spend(db, company_id, wanted, (payment_id, part) =>
    allocate(db, { payment_id, company_id, order_id, amount: part, date: today() }, author),
  )
}

/** Hands out the credit of a company up to an amount, payment by payment, the oldest first. @returns how much there was */
export function spend(db: Database, company_id: number, amount: number, take: (payment: number, part: number) => void): number {
  const parts = distribute(amount, freePayments(db).all({ company: company_id }))
  for (const { id, amount: part } of parts) take(id, part)
  return parts.reduce((sum, part) => sum + part.amount, 0)
}

/**
 * What a correction that names no order takes of the credit of a company: all that it is below zero, as far as there is credit. One above
 * zero gives back what such corrections have taken. Call it inside the `write` that books it.
 */
export function correctCredit(
  db: Database,
  { company_id, amount, date }: { company_id: number; amount: number; date: string },
  author: Author,
): void {
  spend(db, company_id, -amount, (payment_id, part) => allocate(db, { payment_id, company_id, amount: part, date }, author))
  for (const part of distribute(amount, takenByCorrections(db).all({ company: company_id }))) takeBack(db, part, { date }, author)
}

/** What a payment pays at present, by order. */
export function allocationsOf(db: Database, payment_id: number): Allocation[] {
  return byPayment(db).all({ payment: payment_id }) as Allocation[]
}

/** What stands of a payment and a target, with the last day on which something of it was given. */
interface Standing {
  payment_id: number
  company_id: number
  order_id: number | null
  refund_id: number | null
  amount: number
  since: string
}

/** What pays an order at present, the newest payment first. */
export function allocationsTo(db: Database, order_id: number): Standing[] {
  return byOrder(db).all({ order: order_id })
}

/** Takes back of what stands, on a day, but not before it was given: on no day may there be less than nothing. */
export function takeBack(db: Database, standing: Standing, { date, automatic }: { date: string; automatic?: true }, author: Author): void {
  const { since, order_id, refund_id, amount, ...given } = standing
  const target = { order_id: order_id ?? undefined, refund_id: refund_id ?? undefined }
  allocate(db, { ...given, ...target, amount: -amount, date: date < since ? since : date, automatic }, author)
}

/** Ends, on a day, all that a payment pays, or all that a refund was taken from. */
export function takeBackAll(db: Database, { id }: { id: number }, date: string, author: Author): void {
  for (const standing of standingOf(db).all({ payment: id })) takeBack(db, standing, { date }, author)
}

/**
 * Takes back what an order no longer costs, so that the company has it as credit; gives it back once the order costs it again, as after an
 * undone cancelation. Call it inside every `write` that changes what an order costs.
 */
export function balanceAllocations(db: Database, order_id: number, author: Author): void {
  const lacking = lackOf(db, order_id)
  if (lacking < 0) releaseFrom(db, order_id, -lacking, author)
  if (lacking > 0) returnTo(db, order_id, lacking, author)
}

function releaseFrom(db: Database, order_id: number, amount: number, author: Author): void {
  for (const part of distribute(amount, allocationsTo(db, order_id))) takeBack(db, part, { date: today(), automatic: true }, author)
}

function returnTo(db: Database, order_id: number, amount: number, author: Author): void {
  for (const part of distribute(amount, releasedBy(db).all({ order: order_id })))
    allocate(db, { ...part, order_id, date: today(), automatic: true }, author)
}

const payerOf = prepareOnce((db, params) =>
  db
    .select({ org: companies.org })
    .from(payments)
    .innerJoin(companies, eq(companies.id, payments.company_id))
    .where(eq(payments.id, params.payment))
    .prepare(),
)

const freePayments = prepareOnce((db) =>
  db.$client.prepare<{ company: number }, { id: number; amount: number }>(
    `select id, amount - allocated as amount from payments
      where company_id = @company and state = 'confirmed' and direction = 'incoming' and allocated < amount order by date, id`,
  ),
)

const sum = sql<number>`sum(${allocations.amount})`

const byPayment = prepareOnce((db, params) =>
  db
    .select({ order_id: allocations.order_id, amount: sum })
    .from(allocations)
    .where(and(eq(allocations.payment_id, params.payment), sql`${allocations.order_id} is not null`))
    .groupBy(allocations.order_id)
    .having(gt(sum, 0))
    .orderBy(asc(sql`min(${allocations.id})`))
    .prepare(),
)

const { payment_id, company_id, order_id, refund_id } = allocations
const whole = { payment_id, company_id, order_id, refund_id, amount: sum, since: sql<string>`max(${allocations.date})` }

/** What a payment pays, and what a refund was taken from. */
const standingOf = prepareOnce((db, params) =>
  db
    .select(whole)
    .from(allocations)
    .where(or(eq(payment_id, params.payment), eq(refund_id, params.payment)))
    .groupBy(payment_id, order_id, refund_id)
    .having(gt(sum, 0))
    .prepare(),
)

const byOrder = prepareOnce((db, params) =>
  db
    .select(whole)
    .from(allocations)
    .where(eq(order_id, params.order))
    .groupBy(payment_id)
    .having(gt(sum, 0))
    .orderBy(desc(payment_id))
    .prepare(),
)

const takenByCorrections = prepareOnce((db, params) =>
  db
    .select(whole)
    .from(allocations)
    .where(and(eq(company_id, params.company), isNull(order_id), isNull(refund_id)))
    .groupBy(payment_id)
    .having(gt(sum, 0))
    .orderBy(desc(payment_id))
    .prepare(),
)

/** What was taken back from an order by itself and has not returned, as far as it is still free. */
const releasedBy = prepareOnce((db, params) => {
  const released = sql<number>`-sum(${allocations.amount}) filter (where ${allocations.automatic})`
  return db
    .select({ payment_id, company_id, amount: sql<number>`min(${released}, ${payments.amount} - ${payments.allocated})` })
    .from(allocations)
    .innerJoin(payments, eq(payments.id, payment_id))
    .where(and(eq(order_id, params.order), eq(payments.state, 'confirmed')))
    .groupBy(payments.id)
    .having(sql`${released} > 0`)
    .orderBy(asc(payments.id))
    .prepare()
})
