import { sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { id, versionedColumns } from './columns.ts'

const namedColumns = { id: id(), name: text().notNull(), search: text().notNull().default(''), ...versionedColumns }

export const stocks = sqliteTable('stocks', { ...namedColumns, address: text() })
export const manufactures = sqliteTable('manufactures', { ...namedColumns, address: text() })
export const categories = sqliteTable('categories', namedColumns)
