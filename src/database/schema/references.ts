import { sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { id, tracked } from './columns.ts'

const named = { id: id(), name: text().notNull(), search: text().notNull().default(''), ...tracked }

export const stocks = sqliteTable('stocks', { ...named, address: text() })
export const manufactures = sqliteTable('manufactures', { ...named, address: text() })
export const categories = sqliteTable('categories', named)
