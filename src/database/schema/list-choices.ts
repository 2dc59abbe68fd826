import { primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { belongsTo } from './columns.ts'
import { ephemeralRows } from './rules.ts'
import { users } from './users.ts'

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

export const listChoicesRules = ephemeralRows(listChoices)
