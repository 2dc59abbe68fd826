import type { SQL } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'

type ColumnName<Table extends SQLiteTable> = keyof Table['_']['columns'] & string

interface RecordOptions<Table extends SQLiteTable> {
  label: SQL
  derived?: ColumnName<Table>[]
  secret?: ColumnName<Table>[]
}

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

export const recordRules = <Table extends SQLiteTable>(table: Table, options: RecordOptions<Table>) => new TableRules(table, options, true)

export const trashedRows = (table: SQLiteTable) => new TableRules(table, {}, true)

/** Rows that stay deleted when their record is restored: an undo must not deliver messages or open sessions. */
export const ephemeralRows = <Table extends SQLiteTable>(table: Table, secret: ColumnName<Table>[] = []) =>
  new TableRules(table, { secret }, false)
