import { index, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { belongsTo, ephemeralRows, flag, id, timestamp } from './columns.ts'
import { users } from './users.ts'

/** Who does the work of a manager, or reads their companies, on which days (YYYY-MM-DD), the last one included. */
export const deputies = sqliteTable(
  'deputies',
  {
    id: id(),
    manager_id: belongsTo(() => users.id),
    deputy_id: belongsTo(() => users.id),
    first_day: text().notNull(),
    last_day: text().notNull(),
    /** Whether they may only read. */
    reading: flag(false),
    created_at: timestamp().notNull(),
  },
  (table) => [index('deputies_manager').on(table.manager_id, table.last_day), index('deputies_deputy').on(table.deputy_id, table.last_day)],
)

ephemeralRows(deputies)
