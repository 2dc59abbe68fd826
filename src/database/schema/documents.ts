import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { documentKinds, documentStates, numberedKinds } from '../../core/documents.ts'
import { actorColumnNames, actorColumns, ephemeralRows, id, recordRules, refersTo, versionedColumns } from './columns.ts'
import { companies } from './companies.ts'
import { orders } from './orders.ts'

/** How documents of a kind are numbered in a year. */
export const documentSeries = sqliteTable(
  'document_series',
  {
    kind: text({ enum: numberedKinds }).notNull(),
    year: integer().notNull(),
    pattern: text().notNull(),
    /** The number that the next one gets: it only rises. */
    next: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.kind, table.year] })],
)

ephemeralRows(documentSeries)

/** What was issued of orders. Nothing of it changes but its state. */
export const documents = sqliteTable(
  'documents',
  {
    id: id(),
    kind: text({ enum: documentKinds }).notNull(),
    number: text().notNull(),
    /** Its place in the series of kind and year; that of an order's own number has none. */
    serial: integer(),
    year: integer().notNull(),
    /** The day on which it was issued (YYYY-MM-DD). */
    date: text().notNull(),
    order_id: refersTo(() => orders.id),
    company_id: refersTo(() => companies.id),
    /** In kopecks; nothing where it says none. */
    amount: integer(),
    state: text({ enum: documentStates }).notNull().default('issued'),
    file: text().notNull(),
    /** The version of the order that it was made of. */
    order_version: integer().notNull(),
    /** A digest of what it says and of what its order said: as long as that is the same, so is the document. */
    content: text().notNull(),
    replaced_by_id: integer(),
    /** The steps that issued and canceled it, with which that is undone. */
    issued_by_step: integer(),
    canceled_by_step: integer(),
    ...actorColumns,
    ...versionedColumns,
  },
  (table) => [
    uniqueIndex('documents_serial').on(table.kind, table.year, table.serial).where(sql`serial is not null`),
    index('documents_order').on(table.order_id, table.kind, table.id),
    index('documents_company').on(table.company_id, table.date, table.id),
    index('documents_date').on(table.date, table.id),
    index('documents_amount').on(table.amount, table.id),
    index('documents_file').on(table.file),
    index('documents_step').on(table.issued_by_step).where(sql`issued_by_step is not null`),
    index('documents_canceling').on(table.canceled_by_step).where(sql`canceled_by_step is not null`),
  ],
)

recordRules(documents, {
  label: sql`${documents.number}`,
  files: ['file'],
  derived: ['serial', 'year', 'content', 'order_version', 'issued_by_step', 'canceled_by_step', ...actorColumnNames],
})
