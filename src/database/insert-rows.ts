import { getTableColumns, getTableName } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { Database } from './database.ts'
import { prepareText } from './prepare-once.ts'
import type { StoredRow } from './schema/audit-log.ts'

/** Inserts rows in one statement, as the search indexes want it: they are written out once per statement. */
export function insertRows(db: Database, table: SQLiteTable, names: string[], rows: StoredRow[]): void {
  const columns = getTableColumns(table)
  const values = rows.map((row) => names.map((name) => (row[name] == null ? null : columns[name]?.mapToDriverValue(row[name]))))
  const places = names.map((_, at) => `value ->> ${at}`)
  const text = `insert into "${getTableName(table)}" (${names.map((name) => `"${name}"`).join()}) select ${places.join()} from json_each(?)`
  prepareText(db, text).run(JSON.stringify(values))
}
