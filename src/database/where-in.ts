import { count, type Placeholder, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { Database } from './open.ts'

/** Passes all ids as one parameter, so that their number has no limit. */
export function whereIn(column: SQLiteColumn, ids: number[] | Placeholder): SQL {
  const list = Array.isArray(ids) ? JSON.stringify(ids) : ids
  return sql`${column} in (select value from json_each(${list}))`
}

export function countReferencing(db: Database, column: SQLiteColumn, ids: number[]): number {
  return db.select({ rows: count() }).from(column.table).where(whereIn(column, ids)).get()?.rows ?? 0
}
