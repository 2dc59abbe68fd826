import { type SQL, sql } from 'drizzle-orm'
import { type AnySQLiteColumn, customType, integer, type SQLiteTable, text } from 'drizzle-orm/sqlite-core'

/** A primary key that is never reused. */
export const id = () => integer().primaryKey({ autoIncrement: true })

export const timestamp = () => integer()

/** Other tools write, too: what SQLite 3.40 lacks, such as `unixepoch('subsec')`, may stand in queries but not in the schema. */
const now = sql`(cast((julianday('now') - 2440587.5) * 86400000 as integer))`

export const versionedColumns = {
  version: integer().notNull().default(1),
  created_at: timestamp().notNull().default(now),
  updated_at: timestamp().notNull().default(now),
}

/** Who did something, and in whose name; see `authorColumns`. */
export const actorColumns = {
  actor_id: integer(),
  actor_name: text().notNull(),
  impersonator_id: integer(),
  impersonator_name: text(),
}

export const actorColumnNames = Object.keys(actorColumns) as (keyof typeof actorColumns)[]

/** Which of the defaults a row is, as long as nobody has renamed it. */
export const seedColumn = { seed_key: text() }

export const caseInsensitive = customType<{ data: string }>({ dataType: () => 'text collate nocase' })

export const flag = (fallback: boolean) => integer({ mode: 'boolean' }).notNull().default(fallback)

/** A reference to the record that a row goes with when it is deleted. */
export const belongsTo = (target: () => AnySQLiteColumn) => integer().notNull().references(target, { onDelete: 'cascade' })

/** A reference to another record, which becomes null when that one is deleted. */
export const refersTo = (target: () => AnySQLiteColumn) => integer().references(target, { onDelete: 'set null' })

type ColumnName<Table extends SQLiteTable> = keyof Table['_']['columns'] & string

/** The columns of its own by which people find a record. */
export interface Searched<Table extends SQLiteTable> {
  table: Table
  columns: ColumnName<Table>[]
  /** Found as they are written and by their digits. */
  phones?: ColumnName<Table>[]
  /** Found as #12 and №12. */
  numbers?: ColumnName<Table>[]
}

export function searched<Table extends SQLiteTable>(table: Table, by: Omit<Searched<Table>, 'table'>): Searched<Table> {
  return { table, ...by }
}

interface RecordOptions<Table extends SQLiteTable> {
  label: SQL
  derived?: ColumnName<Table>[]
  /** Columns that hold others without case and with ё as е, by which lists are sorted. */
  folded?: Partial<Record<ColumnName<Table>, ColumnName<Table>[]>>
  secret?: ColumnName<Table>[]
  files?: ColumnName<Table>[]
}

/** What history, trash and sorting make of a table. */
class TableRules {
  readonly label: SQL | undefined
  readonly derived: ReadonlySet<string>
  readonly folded: Readonly<Record<string, string[]>>
  readonly secret: ReadonlySet<string>
  /** Columns that hold keys of uploads: one each, or JSON in which they stand. */
  readonly files: readonly string[]
  readonly trashed: boolean
  /** Whether deleted rows wait apart from the trash, which people read. */
  readonly holdsCredentials: boolean

  constructor(
    { label, derived = [], folded = {}, secret = [], files = [] }: Partial<RecordOptions<SQLiteTable>>,
    trashed: boolean,
    holdsCredentials = false,
  ) {
    this.label = label
    this.derived = new Set(['id', 'version', 'created_at', 'updated_at', ...derived, ...Object.keys(folded)])
    this.folded = folded as Record<string, string[]>
    this.secret = new Set(secret)
    this.files = files
    this.trashed = trashed
    this.holdsCredentials = holdsCredentials
  }
}

const declared = new Map<SQLiteTable, TableRules>()

export const findRules = (table: SQLiteTable): TableRules | undefined => declared.get(table)

export function recordRules<Table extends SQLiteTable>(table: Table, options: RecordOptions<Table>): void {
  declared.set(table, new TableRules(options, true))
}

type RowOptions<Table extends SQLiteTable> = Pick<RecordOptions<Table>, 'files' | 'derived'>

export function trashedRows<Table extends SQLiteTable>(table: Table, options: RowOptions<Table> = {}): void {
  declared.set(table, new TableRules(options, true))
}

/** Rows that stay deleted when their record is restored: an undo must not deliver messages or open sessions. */
export function ephemeralRows<Table extends SQLiteTable>(
  table: Table,
  secret: ColumnName<Table>[] = [],
  options: RowOptions<Table> = {},
): void {
  declared.set(table, new TableRules({ secret, ...options }, false))
}

/** Rows with secrets that come back with their record, such as what a person signs in with besides the password. */
export function credentialRows<Table extends SQLiteTable>(table: Table, secret: ColumnName<Table>[]): void {
  declared.set(table, new TableRules({ secret }, true, true))
}
