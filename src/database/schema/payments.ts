import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { entryKinds, paymentDirections, paymentKinds, paymentStates } from '../../core/payments.ts'
import { actorColumnNames, actorColumns, flag, id, recordRules, refersTo, timestamp, trashedRows, versionedColumns } from './columns.ts'
import { companies } from './companies.ts'
import { orders } from './orders.ts'

/** Money of companies. Amounts are whole kopecks. Names are stored, so that payments stay readable after a deletion. */
export const payments = sqliteTable(
  'payments',
  {
    id: id(),
    /** Nothing only for what was reported for an order of no company. */
    company_id: refersTo(() => companies.id),
    direction: text({ enum: paymentDirections }).notNull().default('incoming'),
    /** The order it was reported or entered for; what it pays is said by allocations. */
    order_id: refersTo(() => orders.id),
    state: text({ enum: paymentStates }).notNull(),
    amount: integer().notNull(),
    /** The day on which it was paid. */
    date: text().notNull(),
    kind: text({ enum: paymentKinds }).notNull(),
    file: text(),
    note: text(),
    /** Amount and words of the line of a bank statement that it was booked of: no line is booked twice. */
    statement_line: text(),
    /** INN or else account of whoever paid, as the bank said: what one with it pays next is likely for the same company. */
    payer: text(),
    /** Why it was rejected or reversed. */
    reason: text(),
    /** How much of it pays orders or was paid back, maintained by triggers. */
    allocated: integer().notNull().default(0),
    /** The reversed payment in whose place it was entered. */
    corrects_id: integer(),
    reporter_id: integer(),
    reporter_name: text().notNull(),
    decider_id: integer(),
    decider_name: text(),
    decided_at: timestamp(),
    /** The day of its counter-entry. */
    reversed_on: text(),
    reverser_id: integer(),
    reverser_name: text(),
    reversed_at: timestamp(),
    ...versionedColumns,
  },
  (table) => [
    index('payments_order').on(table.order_id, table.state),
    index('payments_company').on(table.company_id, table.date, table.id),
    index('payments_free')
      .on(table.company_id, table.date, table.id)
      .where(sql`state = 'confirmed' and direction = 'incoming' and allocated < amount`),
    index('payments_state').on(table.state, table.id),
    index('payments_date').on(table.date, table.id),
    index('payments_amount').on(table.amount, table.id),
    index('payments_file').on(table.file).where(sql`file is not null`),
    uniqueIndex('payments_statement_line').on(table.statement_line),
    index('payments_payer').on(table.payer, table.company_id).where(sql`state = 'confirmed' and payer is not null`),
    index('payments_by_hand').on(table.amount, table.date).where(sql`state = 'confirmed' and statement_line is null`),
  ],
)

recordRules(payments, {
  label: sql`coalesce('#' || ${payments.order_id}, ${payments.date})`,
  files: ['file'],
  derived: [
    ...(['allocated', 'reporter_id', 'reporter_name', 'decider_id', 'decider_name', 'decided_at'] as const),
    ...(['reverser_id', 'reverser_name', 'reversed_at'] as const),
  ],
})

/**
 * What payments pay: an order, or a refund of the same company; neither is named where a correction takes of them. Written once, as the
 * ledger: what is taken back is a row below zero. The sum by payment is at most its amount, by order what it lacked.
 */
export const allocations = sqliteTable(
  'allocations',
  {
    id: id(),
    company_id: integer().notNull(),
    payment_id: integer()
      .notNull()
      .references(() => payments.id),
    order_id: integer(),
    refund_id: integer(),
    amount: integer().notNull(),
    /** The day from which it counts. */
    date: text().notNull(),
    /** Taken back since the order costs less or was canceled; given again when it costs that much again. */
    automatic: flag(false),
    at: timestamp().notNull(),
    ...actorColumns,
  },
  (table) => [
    index('allocations_payment').on(table.payment_id),
    index('allocations_order').on(table.order_id, table.date).where(sql`order_id is not null`),
    index('allocations_refund').on(table.refund_id).where(sql`refund_id is not null`),
    index('allocations_company').on(table.company_id, table.date),
  ],
)

trashedRows(allocations, {
  derived: ['automatic', 'at', ...actorColumnNames],
})

/**
 * What companies owe and have paid: written once, never changed or deleted (a trigger refuses it). It outlives the orders it names, so
 * these are no foreign keys.
 */
export const ledgerEntries = sqliteTable(
  'ledger_entries',
  {
    id: id(),
    company_id: integer()
      .notNull()
      .references(() => companies.id),
    order_id: integer(),
    payment_id: integer(),
    kind: text({ enum: entryKinds }).notNull(),
    /** What it adds to the balance of the company. */
    amount: integer().notNull(),
    note: text(),
    /** The day of what it books: on which money moved, or an order became due, was changed or canceled. */
    date: text().notNull(),
    /** When it was written. */
    at: timestamp().notNull(),
    ...actorColumns,
  },
  (table) => [
    index('ledger_entries_company').on(table.company_id, table.date, table.id),
    index('ledger_entries_date').on(table.date, table.id),
    index('ledger_entries_at').on(table.at, table.id),
    index('ledger_entries_payment').on(table.payment_id).where(sql`payment_id is not null`),
    index('ledger_entries_order').on(table.order_id, table.id).where(sql`order_id is not null`),
  ],
)

trashedRows(ledgerEntries, {
  derived: ['payment_id', 'at', ...actorColumnNames],
})

/** The sum of the entries of a company, and what of its payments is not allocated, maintained by triggers. */
export const companyBalances = sqliteTable('company_balances', {
  company_id: integer().primaryKey(),
  balance: integer().notNull(),
  credit: integer().notNull().default(0),
})

/**
 * What was charged for an order, and what of it is paid by allocations or corrected, maintained by triggers. All entries of an order belong
 * to the company of its first.
 */
export const orderBalances = sqliteTable(
  'order_balances',
  {
    order_id: integer().primaryKey(),
    company_id: integer().notNull(),
    charged: integer().notNull(),
    paid: integer().notNull(),
  },
  (table) => [
    index('order_balances_lacking').on(table.company_id, table.order_id).where(sql`charged > paid`),
    index('order_balances_prepaid').on(table.company_id, table.order_id).where(sql`paid > charged`),
  ],
)
