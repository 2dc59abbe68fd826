import { getTableColumns, getTableName } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { Database } from './database.ts'
import { prepareText } from './prepare-once.ts'
import type { StoredRow } from './schema/audit-log.ts'

/** Inserts rows in one statement, as the search indexes want it: they are written out once per statement. */
export function insertRows(db: Database, table: SQLiteTable, names: string[], rows: StoredRow[]): void {
  const columns = getTableColumns(table)
  const values = rows.map((row) => names.map((name) => (row[name] == null ? null : columns[name]?.mapToDriverValue(row[name]))))
  const [first, ...others] = values
  const into = `insert into "${getTableName(table)}" (${names.map((name) => `"${name}"`).join()})`
  // A large one takes long as JSON.
  if (first && others.length === 0) return void prepareText(db, `${into} values (${names.map(() => '?').join()})`).run(...first)
  const places = names.map((_, at) => `value ->> ${at}`)
  prepareText(db, `${into} select ${places.join()} from json_each(?)`).run(JSON.stringify(values))
}
