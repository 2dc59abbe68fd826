import { sql } from 'drizzle-orm'
import { type AnySQLiteColumn, customType, integer } from 'drizzle-orm/sqlite-core'

/** A primary key that is never reused. */
export const id = () => integer().primaryKey({ autoIncrement: true })

export const timestamp = () => integer()

const now = sql`(cast(unixepoch('subsec') * 1000 as integer))`

export const versionedColumns = {
  version: integer().notNull().default(1),
  created_at: timestamp().notNull().default(now),
  updated_at: timestamp().notNull().default(now),
}

export const caseInsensitive = customType<{ data: string }>({ dataType: () => 'text collate nocase' })

export const flag = (fallback: boolean) => integer({ mode: 'boolean' }).notNull().default(fallback)

/** A reference to the record that a row goes with when it is deleted. */
export const belongsTo = (target: () => AnySQLiteColumn) => integer().notNull().references(target, { onDelete: 'cascade' })

/** A reference to another record, which becomes null when that one is deleted. */
export const refersTo = (target: () => AnySQLiteColumn) => integer().references(target, { onDelete: 'set null' })
