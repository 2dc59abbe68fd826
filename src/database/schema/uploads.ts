import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { id, timestamp } from './columns.ts'

/** Until a record references a file, only the person who uploaded it may open it. */
export const uploads = sqliteTable(
  'uploads',
  {
    id: id(),
    key: text().notNull(),
    name: text().notNull(),
    type: text().notNull(),
    size: integer().notNull(),
    user_id: integer().notNull(),
    at: timestamp().notNull(),
  },
  (table) => [index('uploads_key').on(table.key, table.user_id), index('uploads_at').on(table.at)],
)
