import { and, asc, between, eq, type SQL, sql } from 'drizzle-orm'
import { entryLabels } from '../../core/labels.ts'
import { type Database, ledgerEntries, whereIn } from '../../database/index.ts'
import { shownKind } from '../ledger/list.ts'
import { figuresOf, noFigures } from './figures.ts'
import type { Period } from './period.ts'

/** What was booked of a company in a period. */
export interface Act extends Period {
  company: number
}

export const actFigures = (db: Database, { company, ...period }: Act) => figuresOf(db, [company], period).get(company) ?? noFigures

/** In the order of their days. */
export function actEntryIds(db: Database, act: Act) {
  return db.select({ id: ledgerEntries.id }).from(ledgerEntries).where(inAct(act)).orderBy(asc(ledgerEntries.date), asc(ledgerEntries.id))
}

const inAct = ({ company, from, until }: Act): SQL | undefined =>
  and(eq(ledgerEntries.company_id, company), between(ledgerEntries.date, from, until))

/** Entries with what they are: of an order it is the order's number, of money its own. */
export function actEntries(db: Database, ids: number[]) {
  const { id, date, order_id, payment_id, amount, note } = ledgerEntries
  const rows = db.select({ id, date, order_id, payment_id, amount, note, kind: shownKind }).from(ledgerEntries).where(whereIn(id, ids))
  return rows
    .orderBy(asc(date), asc(id))
    .all()
    .map(({ kind, order_id, payment_id, ...entry }) => {
      const isMoney = kind === 'payment' || kind === 'refund'
      return { ...entry, document: entryLabels[kind], number: (isMoney ? (payment_id ?? order_id) : order_id) ?? entry.id }
    })
}

/** What the entries of a period are in debit and in credit. */
export function actTurnover(db: Database, act: Act) {
  const sumOf = (amount: SQL) => sql<number>`ifnull(sum(${amount}), 0)`
  const { amount } = ledgerEntries
  const sums = { debit: sumOf(sql`iif(${amount} < 0, -${amount}, 0)`), credit: sumOf(sql`iif(${amount} > 0, ${amount}, 0)`) }
  return db.select(sums).from(ledgerEntries).where(inAct(act)).get() ?? { debit: 0, credit: 0 }
}

/** Of an amount that adds to a balance: what the company owes more is debit. */
export const debitOf = (amount: number) => (amount < 0 ? -amount : null)
export const creditOf = (amount: number) => (amount > 0 ? amount : null)
