import { sql } from 'drizzle-orm'
import { customType, integer } from 'drizzle-orm/sqlite-core'

/** Primary key that is never given twice, even after a deletion. */
export const id = () => integer().primaryKey({ autoIncrement: true })

/** A moment, in milliseconds since 1970 UTC. */
export const timestamp = () => integer()

const now = sql`(cast(unixepoch('subsec') * 1000 as integer))`

/** What every record that people edit carries; every write raises `version`. */
export const versionedColumns = {
  version: integer().notNull().default(1),
  created_at: timestamp().notNull().default(now),
  updated_at: timestamp().notNull().default(now),
}

/** Text that compares without case; for ASCII only, which email addresses are. */
export const caseInsensitive = customType<{ data: string }>({ dataType: () => 'text collate nocase' })

export const flag = (fallback: boolean) => integer({ mode: 'boolean' }).notNull().default(fallback)
