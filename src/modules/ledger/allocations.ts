import { and, asc, desc, eq, gt, or, sql } from 'drizzle-orm'
import { isCanceled } from '../../core/payments.ts'
import {
  type Author,
  allocations,
  companies,
  companyBalances,
  type Database,
  logRow,
  orderBalances,
  orders,
  payments,
  prepareOnce,
  statuses,
} from '../../database/index.ts'
import { today } from '../../i18n/format.ts'
import { authorColumns, refuseClosedDay } from './entry.ts'

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

/** Writes what a payment pays from a day on, or no longer pays. Call it inside `write`. */
export function allocate(db: Database, allocation: NewAllocation, author: Author): void {
  if (allocation.amount === 0) return
  if (!allocation.automatic) refuseClosedDay(db, allocation.date)
  const { id } = db
    .insert(allocations)
    .values({ ...allocation, at: Date.now(), ...authorColumns(author) })
    .returning({ id: allocations.id })
    .get()
  const { order_id, payment_id } = allocation
  const label = order_id ? `#${order_id}` : (payerOf(db).get({ payment: payment_id })?.org ?? '')
  logRow(db, allocations, { action: 'create', id, label, after: { ...allocation } }, author)
}

/** What of a company's money pays nothing, in kopecks. */
export function creditOf(db: Database, company_id: number): number {
  return creditOfCompany(db).get({ company: company_id })?.credit ?? 0
}

/**
 * What an order lacks in kopecks: its cost, or nothing once it is canceled or gone, without what is allocated to it and with its
 * corrections; less than nothing where more is allocated.
 */
export function lackOf(db: Database, order_id: number): number {
  const order = orderWithDue(db).get({ order: order_id })
  const cost = !order || isCanceled(order) ? 0 : order.cost
  return cost - (paidOf(db).get({ order: order_id })?.paid ?? 0)
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

/** Hands out the credit of a company up to an amount, payment by payment, the oldest first. */
export function spend(db: Database, company_id: number, amount: number, take: (payment: number, part: number) => void): number {
  let rest = amount
  for (const { id, free } of freePayments(db).all({ company: company_id })) {
    if (rest <= 0) break
    take(id, Math.min(rest, free))
    rest -= Math.min(rest, free)
  }
  return amount - rest
}

/** What a payment pays at present, by order. */
export function allocationsOf(db: Database, payment_id: number): Allocation[] {
  return byPayment(db).all({ payment: payment_id }) as Allocation[]
}

/** What pays an order at present, the newest payment first. */
export function allocationsTo(db: Database, order_id: number): { payment_id: number; amount: number }[] {
  return byOrder(db).all({ order: order_id })
}

/** Ends, on a day, all that a payment pays, or all that a refund was taken from. */
export function takeBackAll(db: Database, { id }: { id: number }, date: string, author: Author): void {
  for (const { order_id, refund_id, ...given } of standing(db).all({ payment: id }))
    allocate(db, { ...given, ...(order_id ? { order_id } : { refund_id: refund_id as number }), amount: -given.amount, date }, author)
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
  let rest = amount
  for (const paid of byOrder(db).all({ order: order_id })) {
    const part = Math.min(rest, paid.amount)
    allocate(db, { ...paid, order_id, amount: -part, date: today(), automatic: true }, author)
    rest -= part
  }
}

function returnTo(db: Database, order_id: number, amount: number, author: Author): void {
  let rest = amount
  for (const { free, released, ...paid } of releasedBy(db).all({ order: order_id })) {
    const part = Math.min(rest, free, released)
    allocate(db, { ...paid, order_id, amount: part, date: today(), automatic: true }, author)
    rest -= part
  }
}

const payerOf = prepareOnce((db, params) =>
  db
    .select({ org: companies.org })
    .from(payments)
    .innerJoin(companies, eq(companies.id, payments.company_id))
    .where(eq(payments.id, params.payment))
    .prepare(),
)

const creditOfCompany = prepareOnce((db, params) =>
  db.select({ credit: companyBalances.credit }).from(companyBalances).where(eq(companyBalances.company_id, params.company)).prepare(),
)

const orderWithDue = prepareOnce((db, params) =>
  db
    .select({ cost: orders.cost, due: statuses.due })
    .from(orders)
    .leftJoin(statuses, eq(statuses.id, orders.status_id))
    .where(eq(orders.id, params.order))
    .prepare(),
)

const paidOf = prepareOnce((db, params) =>
  db.select({ paid: orderBalances.paid }).from(orderBalances).where(eq(orderBalances.order_id, params.order)).prepare(),
)

const freePayments = prepareOnce((db) =>
  db.$client.prepare<{ company: number }, { id: number; free: number }>(
    `select id, amount - allocated as free from payments
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

/** What a payment pays, and what a refund was taken from. */
const standing = prepareOnce((db, params) => {
  const { payment_id, company_id, order_id, refund_id } = allocations
  return db
    .select({ payment_id, company_id, order_id, refund_id, amount: sum })
    .from(allocations)
    .where(or(eq(payment_id, params.payment), eq(refund_id, params.payment)))
    .groupBy(payment_id, order_id, refund_id)
    .having(gt(sum, 0))
    .prepare()
})

const byOrder = prepareOnce((db, params) =>
  db
    .select({ payment_id: allocations.payment_id, company_id: allocations.company_id, amount: sum })
    .from(allocations)
    .where(eq(allocations.order_id, params.order))
    .groupBy(allocations.payment_id)
    .having(gt(sum, 0))
    .orderBy(desc(allocations.payment_id))
    .prepare(),
)

/** What was taken back from an order by itself and has not returned, with what is still free of it. */
const releasedBy = prepareOnce((db, params) => {
  const released = sql<number>`-sum(${allocations.amount}) filter (where ${allocations.automatic})`
  return db
    .select({
      payment_id: payments.id,
      company_id: allocations.company_id,
      free: sql<number>`${payments.amount} - ${payments.allocated}`,
      released,
    })
    .from(allocations)
    .innerJoin(payments, eq(payments.id, allocations.payment_id))
    .where(and(eq(allocations.order_id, params.order), eq(payments.state, 'confirmed')))
    .groupBy(payments.id)
    .having(sql`${released} > 0`)
    .orderBy(asc(payments.id))
    .prepare()
})
