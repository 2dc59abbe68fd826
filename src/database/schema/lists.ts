import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { belongsTo, ephemeralRows, flag, id, timestamp, trashedRows } from './columns.ts'
import { users } from './users.ts'

/** Named addresses of lists. They grant nothing: every user sees only what they may see. */
export const savedViews = sqliteTable(
  'saved_views',
  {
    id: id(),
    user_id: belongsTo(() => users.id),
    group_id: integer(),
    list: text().notNull(),
    name: text().notNull(),
    query: text().notNull(),
    is_default: flag(false),
    created_at: timestamp().notNull(),
  },
  (table) => [index('saved_views_user').on(table.user_id, table.list), index('saved_views_group').on(table.group_id, table.list)],
)

trashedRows(savedViews)

export const listChoices = sqliteTable(
  'list_choices',
  {
    user_id: belongsTo(() => users.id),
    list: text().notNull(),
    size: text().notNull(),
    cols: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.user_id, table.list] })],
)

ephemeralRows(listChoices)
