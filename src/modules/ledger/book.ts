import { eq, getTableColumns } from 'drizzle-orm'
import type { EntryKind } from '../../core/payments.ts'
import {
  type Author,
  companies,
  companyBalances,
  type Database,
  ledgerEntries,
  logRow,
  orderBalances,
  orders,
  type payments,
  prepareOnce,
} from '../../database/index.ts'
import { HttpError } from '../../http/request/errors.ts'
import { today } from '../../i18n/format.ts'

type Payment = typeof payments.$inferSelect

/** An amount with which a balance would be more than a number holds exactly. */
export class BalanceTooLarge extends HttpError {
  constructor() {
    super(422, 'The amount is too large.')
  }
}

/**
 * Makes the charges of an order add up to what its company owes for it: its cost while it is due, else nothing, on the day it is called. Call it inside every
 * `write` that changes its cost, whether it is due, or whether it exists. Nothing else books charges.
 * @throws BalanceTooLarge
 */
export function settleOrder(db: Database, order_id: number, author: Author): void {
  const order = orderById(db).get({ id: order_id })
  const wanted = order?.due_since ? order.cost : 0
  const missing = wanted - (orderBalance(db, order_id)?.charged ?? 0)
  const company_id = companyOfEntries(db, order_id)
  if (missing !== 0 && company_id !== null) book(db, { company_id, order_id, kind: 'charge', amount: -missing, date: today() }, author)
}

/**
 * Books a confirmed payment. Call it inside the `write` that confirms it.
 * @throws BalanceTooLarge, HttpError (422) when its order belongs to no company
 */
export function bookPayment(db: Database, payment: Pick<Payment, 'id' | 'order_id' | 'amount' | 'date' | 'note'>, author: Author) {
  const { id: payment_id, order_id, amount, date, note } = payment
  const company_id = companyOfEntries(db, order_id)
  if (company_id === null) throw new HttpError(422, 'This order belongs to no company.')
  book(db, { company_id, order_id, payment_id, kind: 'payment', amount, date, note }, author)
}

interface EntryByHand {
  company_id: number
  kind: Extract<EntryKind, 'correction' | 'refund'>
  /** Of a correction what it adds to the balance, of a refund what was paid back: more than nothing. */
  amount: number
  order_id: number | null
  date: string
  note: string | null
}

/**
 * Books a correction or a refund. An order that is named must belong to the company: see `companyOfEntries`. Call it inside `write`.
 * @throws BalanceTooLarge
 */
export function bookByHand(db: Database, { amount, ...entry }: EntryByHand, author: Author): void {
  book(db, { ...entry, amount: entry.kind === 'refund' ? -amount : amount }, author)
}

/** The company that the entries of an order belong to: that of its first, or the one it belongs to while there are none. */
export function companyOfEntries(db: Database, order_id: number): number | null {
  const order = orderById(db).get({ id: order_id })
  return orderBalance(db, order_id)?.company_id ?? order?.owner_company_id ?? order?.company_id ?? null
}

/** What was charged and paid for an order; undefined before its first entry. */
export function orderBalance(db: Database, order_id: number) {
  return balanceOfOrder(db).get({ id: order_id })
}

/** In kopecks: less than nothing is owed. */
export function companyBalance(db: Database, company_id: number): number {
  return balanceOfCompany(db).get({ id: company_id })?.balance ?? 0
}

type NewEntry = Pick<typeof ledgerEntries.$inferInsert, 'company_id' | 'order_id' | 'payment_id' | 'kind' | 'amount' | 'date' | 'note'>

function book(db: Database, entry: NewEntry, author: Author): void {
  const { id: actor_id, name: actor_name, impersonator } = author
  if (!Number.isSafeInteger(companyBalance(db, entry.company_id) + entry.amount)) throw new BalanceTooLarge()
  const by = { actor_id, actor_name, impersonator_id: impersonator?.id, impersonator_name: impersonator?.name }
  const { id } = db
    .insert(ledgerEntries)
    .values({ ...entry, at: Date.now(), ...by })
    .returning({ id: ledgerEntries.id })
    .get()
  const label = orgOf(db).get({ id: entry.company_id })?.org ?? ''
  logRow(db, ledgerEntries, { action: 'create', id, label, after: entry }, author)
}

const orderById = prepareOnce((db, params) => {
  const { cost, due_since, owner_company_id, company_id } = getTableColumns(orders)
  return db.select({ cost, due_since, owner_company_id, company_id }).from(orders).where(eq(orders.id, params.id)).prepare()
})

const balanceOfOrder = prepareOnce((db, params) => db.select().from(orderBalances).where(eq(orderBalances.order_id, params.id)).prepare())

const orgOf = prepareOnce((db, params) => db.select({ org: companies.org }).from(companies).where(eq(companies.id, params.id)).prepare())

const balanceOfCompany = prepareOnce((db, params) =>
  db.select().from(companyBalances).where(eq(companyBalances.company_id, params.id)).prepare(),
)
