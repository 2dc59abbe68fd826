import { getTableColumns, getTableName } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { Database } from './database.ts'
import { prepareText } from './prepare-once.ts'
import type { StoredRow } from './schema/audit-log.ts'

/** Inserts rows in one statement, as the search indexes want it: they are written out once per statement. Returns the last id. */
export function insertRows(db: Database, table: SQLiteTable, names: string[], rows: StoredRow[]): number {
  const values = rows.map((row) => driverValues(table, names, row))
  const [first, ...others] = values
  const into = `insert into "${getTableName(table)}" (${names.map((name) => `"${name}"`).join()})`
  // A large one takes long as JSON.
  const one = first && others.length === 0
  const source = one
    ? `values (${names.map(() => '?').join()})`
    : `select ${names.map((_, at) => `value ->> ${at}`).join()} from json_each(?)`
  const { lastInsertRowid } = prepareText(db, `${into} ${source}`).run(...(one ? first : [JSON.stringify(values)]))
  return Number(lastInsertRowid)
}

export function driverValues(table: SQLiteTable, names: string[], row: StoredRow): unknown[] {
  const columns = getTableColumns(table)
  return names.map((name) => (row[name] == null ? null : columns[name]?.mapToDriverValue(row[name])))
}
