import type { SQL } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'

type ColumnName<Table extends SQLiteTable> = keyof Table['_']['columns'] & string

interface RecordOptions<Table extends SQLiteTable> {
  /** What people call a record, as an expression over its row. */
  label: SQL
  /** Worked out by the program: the history leaves it out. */
  derived?: ColumnName<Table>[]
  /** The history says that it changed, never from what to what. */
  secret?: ColumnName<Table>[]
}

/** What change history and trash make of a table; declared right below it. */
export class TableRules {
  readonly table: SQLiteTable
  readonly label: SQL | undefined
  readonly derived: ReadonlySet<string>
  readonly secret: ReadonlySet<string>
  readonly trashed: boolean

  constructor(table: SQLiteTable, { label, derived = [], secret = [] }: Partial<RecordOptions<SQLiteTable>>, trashed: boolean) {
    this.table = table
    this.label = label
    this.derived = new Set(['id', 'version', 'created_at', 'updated_at', ...derived])
    this.secret = new Set(secret)
    this.trashed = trashed
  }
}

/** Records that people edit: the history tells of every column that is not named here. */
export const recordRules = <Table extends SQLiteTable>(table: Table, options: RecordOptions<Table>) => new TableRules(table, options, true)

/** Rows that belong to records and come back with them from the trash. */
export const trashedRows = (table: SQLiteTable) => new TableRules(table, {}, true)

/** Rows that die with what they belong to: nothing is delivered and nobody is signed in because a deletion was undone. */
export const ephemeralRows = (table: SQLiteTable) => new TableRules(table, {}, false)
