import { index, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { belongsTo, ephemeralRows, flag, id, timestamp } from './columns.ts'
import { users } from './users.ts'

/** With what other programs act for somebody. They end with the account and do not come back with it. */
export const apiTokens = sqliteTable(
  'api_tokens',
  {
    id: id(),
    user_id: belongsTo(() => users.id),
    name: text().notNull(),
    /** SHA-256 of the token, so that a copy of the database opens nothing. */
    token_hash: text().notNull().unique(),
    read_only: flag(false),
    created_at: timestamp().notNull(),
    expires_at: timestamp().notNull(),
    last_used_at: timestamp(),
    last_address: text(),
    /** Networks it was used from, the latest ones. */
    networks: text({ mode: 'json' }).$type<string[]>().notNull().default([]),
    revoked_at: timestamp(),
  },
  (table) => [index('api_tokens_user').on(table.user_id, table.id)],
)

ephemeralRows(apiTokens, ['token_hash'], { derived: ['last_used_at', 'last_address', 'networks'] })
