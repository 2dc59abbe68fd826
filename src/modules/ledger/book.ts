import { eq } from 'drizzle-orm'
import { chargeFor } from '../../core/payments.ts'
import {
  type Author,
  authorColumns,
  companies,
  type Database,
  ledgerEntries,
  logRow,
  type payments,
  prepareOnce,
} from '../../database/index.ts'
import { ValidationFailed } from '../../http/request/errors.ts'
import { today } from '../../i18n/format.ts'
import { balanceAllocations, correctCredit } from './allocations.ts'
import { companyBalance, companyOfEntries, findChargedOrder, orderBalance } from './balance.ts'
import { refuseClosedDay } from './closed-days.ts'

type Payment = typeof payments.$inferSelect

/** An amount with which a balance would be more than a number holds exactly. */
export class BalanceTooLarge extends ValidationFailed {
  constructor() {
    super({ amount: 'The amount is too large.' })
  }
}

/**
 * Makes the charges of an order add up to what its company owes for it: its cost while it is due, else nothing, on the day it is called;
 * and what is allocated to it to no more than it costs. Call it inside every `write` that changes its cost, whether it is due or canceled,
 * or whether it exists. Nothing else books charges.
 * @throws BalanceTooLarge
 */
export function settleOrder(db: Database, order_id: number, author: Author): void {
  const order = findChargedOrder(db, order_id)
  const missing = (order ? chargeFor(order) : 0) - (orderBalance(db, order_id)?.charged ?? 0)
  const company_id = companyOfEntries(db, order_id)
  if (missing !== 0 && company_id !== null) book(db, { company_id, order_id, kind: 'charge', amount: -missing, date: today() }, author)
  balanceAllocations(db, order_id, author)
}

type BookedPayment = Pick<Payment, 'id' | 'order_id' | 'direction' | 'amount' | 'date' | 'note'> & { company_id: number }

/**
 * Books a confirmed payment or refund. Call it inside the `write` that confirms it.
 * @throws BalanceTooLarge, ClosedDay
 */
export function bookPayment(db: Database, payment: BookedPayment, author: Author): void {
  const { date, note } = payment
  book(db, { ...entryOf(payment), amount: signed(payment), date, note }, author)
}

/**
 * Books the counter-entry of a payment or refund, on a day. Call it inside the `write` that reverses it.
 * @throws BalanceTooLarge, ClosedDay
 */
export function bookReversal(db: Database, payment: BookedPayment, { date, reason }: { date: string; reason: string }, author: Author) {
  book(db, { ...entryOf(payment), amount: -signed(payment), date, note: reason }, author)
}

const entryOf = ({ id: payment_id, company_id, order_id, direction }: BookedPayment) =>
  ({ company_id, order_id, payment_id, kind: direction === 'refund' ? 'refund' : 'payment' }) as const

const signed = ({ direction, amount }: BookedPayment) => (direction === 'refund' ? -amount : amount)

type Correction = Pick<NewEntry, 'company_id' | 'order_id' | 'amount' | 'date' | 'note'>

/**
 * Books a correction: what it adds to the balance. An order that is named must belong to the company: see `companyOfEntries`. Call it
 * inside `write`.
 * @throws BalanceTooLarge, ClosedDay
 */
export function bookCorrection(db: Database, correction: Correction, author: Author): void {
  book(db, { ...correction, kind: 'correction' }, author)
  if (correction.order_id) balanceAllocations(db, correction.order_id, author)
  else correctCredit(db, correction, author)
}

type NewEntry = Pick<typeof ledgerEntries.$inferInsert, 'company_id' | 'order_id' | 'payment_id' | 'kind' | 'amount' | 'date' | 'note'>

function book(db: Database, entry: NewEntry, author: Author): void {
  refuseClosedDay(db, entry.date)
  if (!Number.isSafeInteger(companyBalance(db, entry.company_id).balance + entry.amount)) throw new BalanceTooLarge()
  const { id } = db
    .insert(ledgerEntries)
    .values({ ...entry, at: Date.now(), ...authorColumns(author) })
    .returning({ id: ledgerEntries.id })
    .get()
  const label = orgOf(db).get({ id: entry.company_id })?.org ?? ''
  logRow(db, ledgerEntries, { action: 'create', id, label, after: entry }, author)
}

const orgOf = prepareOnce((db, params) => db.select({ org: companies.org }).from(companies).where(eq(companies.id, params.id)).prepare())
