import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { belongsTo, ephemeralRows, id, timestamp } from './columns.ts'
import { users } from './users.ts'

export interface SheetRow {
  row: number
  cells: string[]
  /** What the sheet shows of numbers, by column, where it is not just the number: 00123. */
  shown?: Record<number, string>
  /** Over how many columns and rows merged cells reach, by the column of the first, near the top of a sheet. */
  spans?: Record<number, [columns: number, rows: number]>
  /** Columns whose cell holds an error, or a formula without a computed value. */
  faulty?: number[]
}

interface ImportProblem {
  column?: string
  /** The heading of the column, and what is in the cell unless the message says it. */
  header?: string
  cell?: string
  /** A new record needs the field, for which the sheet has no column. */
  lacksColumn?: true
  label?: string
  message: string
  params?: Record<string, unknown>
}

export interface RowResult {
  /** 0 for a record that no row names. */
  row: number
  outcome: 'new' | 'changed' | 'unchanged' | 'skipped' | 'refused'
  label: string
  id?: number
  version?: number
  before?: Record<string, unknown>
  /** Without `from` it is what a new record holds. */
  changes: { label: string; from?: string; to: string }[]
  problems: ImportProblem[]
  /** What was left out or made of it besides, and why it was skipped. */
  notes?: { label?: string; message: string; params?: Record<string, unknown> }[]
  /** Names of records that nobody knows. */
  asked?: { field: string; text: string }[]
}

export const imports = sqliteTable(
  'imports',
  {
    id: id(),
    user_id: belongsTo(() => users.id),
    list: text().notNull(),
    file_name: text().notNull(),
    /** The key of the file, and which sheets it has, where it is a workbook. */
    upload: text(),
    sheets: text({ mode: 'json' }).$type<string[]>(),
    sheet: text(),
    /** The lines of the sheet that have the headings; rows above and between them are none. */
    heading_first: integer().notNull().default(0),
    heading_last: integer().notNull().default(0),
    /** Null for a column without heading and content. */
    headers: text({ mode: 'json' }).$type<(string | null)[]>().notNull(),
    row_count: integer().notNull().default(0),
    /** Bytes of its rows. */
    size: integer().notNull().default(0),
    fields: text({ mode: 'json' }).$type<(string | null)[]>().notNull(),
    /** The field by which rows find their records. */
    key_field: text().notNull(),
    /** Whether the prices of a row replace those of the record; otherwise they are added. */
    replaces_prices: integer({ mode: 'boolean' }).notNull().default(false),
    /** Whether rows of one cell name the group of the rows below. */
    takes_groups: integer({ mode: 'boolean' }).notNull().default(false),
    /** Whether records that cells name and nobody knows are added. */
    adds_missing: integer({ mode: 'boolean' }).notNull().default(false),
    /** What becomes of names that nobody knows: `add`, `leave`, or `is` and the name of a record. */
    answers: text({ mode: 'json' }).$type<Record<string, string>>().notNull().default({}),
    /** The day from which prices without one hold. */
    prices_from: text(),
    /** Whether its prices are without the VAT that those of the catalog include. */
    without_vat: integer({ mode: 'boolean' }).notNull().default(false),
    /** Whether records that no row names are switched off. */
    switches_off: integer({ mode: 'boolean' }).notNull().default(false),
    created_at: timestamp().notNull(),
    saved_at: timestamp(),
    undone_at: timestamp(),
  },
  (table) => [index('imports_user').on(table.user_id), index('imports_created').on(table.created_at)],
)

ephemeralRows(imports)

/** The rows of an import, some in each piece. */
export const importRows = sqliteTable(
  'import_rows',
  {
    id: id(),
    import_id: belongsTo(() => imports.id),
    rows: text({ mode: 'json' }).$type<SheetRow[]>().notNull(),
  },
  (table) => [index('import_rows_import').on(table.import_id)],
)

ephemeralRows(importRows)

/** What was done with the rows that were saved, some in each piece. */
export const importParts = sqliteTable(
  'import_parts',
  {
    id: id(),
    import_id: belongsTo(() => imports.id),
    results: text({ mode: 'json' }).$type<RowResult[]>().notNull(),
  },
  (table) => [index('import_parts_import').on(table.import_id)],
)

ephemeralRows(importParts)

/** What headings were taken for, which holds for whoever imports next. An empty field is a column that is left out. */
export const importHeadings = sqliteTable(
  'import_headings',
  {
    id: id(),
    list: text().notNull(),
    /** Folded and without punctuation. */
    heading: text().notNull(),
    field: text().notNull(),
  },
  (table) => [uniqueIndex('import_headings_heading').on(table.list, table.heading)],
)

ephemeralRows(importHeadings)
