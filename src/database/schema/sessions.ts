import { index, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { belongsTo, ephemeralRows, id, refersTo, timestamp } from './columns.ts'
import { users } from './users.ts'

export const sessions = sqliteTable(
  'sessions',
  {
    id: id(),
    /** SHA-256 of the cookie's random value, so that a copy of the database opens no session. */
    token_hash: text().notNull().unique(),
    user_id: belongsTo(() => users.id),
    acting_as_id: refersTo(() => users.id),
    /** The page where the impersonation began; set as long as it lasts, even when its target is deleted. */
    return_to: text(),
    flash: text(),
    address: text().notNull(),
    user_agent: text().notNull().default(''),
    created_at: timestamp().notNull(),
    seen_at: timestamp().notNull(),
    proved_at: timestamp().notNull().default(0),
    factor_secret: text(),
  },
  (table) => [index('sessions_user').on(table.user_id), index('sessions_acting').on(table.acting_as_id)],
)

ephemeralRows(sessions, ['token_hash', 'factor_secret'])
