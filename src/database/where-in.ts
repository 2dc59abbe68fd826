import { count, type Placeholder, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { Database } from './open.ts'

/** The column holds one of the ids; however many there are, they travel as one parameter. */
export function whereIn(column: SQLiteColumn, ids: number[] | Placeholder): SQL {
  const list = Array.isArray(ids) ? JSON.stringify(ids) : ids
  return sql`${column} in (select value from json_each(${list}))`
}

/** How many rows point at one of the ids through this column. */
export function countReferencing(db: Database, column: SQLiteColumn, ids: number[]): number {
  return db.select({ rows: count() }).from(column.table).where(whereIn(column, ids)).get()?.rows ?? 0
}
