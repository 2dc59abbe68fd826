import { sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { timestamp } from './columns.ts'

/** Defaults that were seeded once, so that what people deleted stays deleted. */
export const seeded = sqliteTable('seeded', { name: text().primaryKey(), at: timestamp().notNull() })
