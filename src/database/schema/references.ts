import { sql } from 'drizzle-orm'
import { sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { id, recordRules, versionedColumns } from './columns.ts'

const namedColumns = { id: id(), name: text().notNull(), search: text().notNull().default(''), ...versionedColumns }

export const stocks = sqliteTable('stocks', { ...namedColumns, address: text() })
recordRules(stocks, { label: sql`${stocks.name}`, folded: { search: ['name'] } })
export const manufactures = sqliteTable('manufactures', { ...namedColumns, address: text() })
recordRules(manufactures, { label: sql`${manufactures.name}`, folded: { search: ['name'] } })
export const categories = sqliteTable('categories', namedColumns)
recordRules(categories, { label: sql`${categories.name}`, folded: { search: ['name'] } })
