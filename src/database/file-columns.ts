import { and, eq, getTableColumns, isNotNull, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { Database } from './database.ts'
import { prepareOnce } from './prepare-once.ts'
import { tables } from './references.ts'
import { findRules } from './schema/columns.ts'

/** Every column that holds keys of uploads, as the schema says. */
export const fileColumns = tables.flatMap((table) => (findRules(table)?.files ?? []).map((name) => ({ table, name })))

/** Whether a column names a file; spelled so that the partial indexes of the schema serve it. */
export function namesFile(column: SQLiteColumn, key: unknown): SQL | undefined {
  return column.dataType === 'json'
    ? and(isNotNull(column), sql`${column} <> '[]'`, sql`instr(${column}, ${key}) > 0`)
    : and(isNotNull(column), eq(column, key))
}

export function columnOf(table: SQLiteTable, name: string): SQLiteColumn | undefined {
  return getTableColumns(table)[name]
}

/** Whether any row names a file, whoever may see it. */
export function isNamed(db: Database, key: string): boolean {
  return namings.some((find) => find(db).get({ key }) !== undefined)
}

const namings = fileColumns.map(({ table, name }) =>
  prepareOnce((db, params) =>
    db
      .select({ found: sql`1` })
      .from(table)
      .where(namesFile(columnOf(table, name) as SQLiteColumn, params.key))
      .limit(1)
      .prepare(),
  ),
)
