import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { belongsTo, id, timestamp, trashedRows } from './columns.ts'
import { users } from './users.ts'

/** Public keys of people who sign in without a password (WebAuthn). They go and come back with their person. */
export const passkeys = sqliteTable(
  'passkeys',
  {
    id: id(),
    user_id: belongsTo(() => users.id),
    name: text().notNull(),
    credential_id: text().notNull().unique(),
    public_key: text().notNull(),
    /** Of signatures made with it; stays zero for a key that is synced between devices. */
    counter: integer().notNull(),
    transports: text({ mode: 'json' }).$type<string[]>().notNull(),
    /** Random; by it a password manager knows that passkeys are of the same account. */
    user_handle: text().notNull(),
    created_at: timestamp().notNull(),
    last_used_at: timestamp(),
  },
  (table) => [index('passkeys_user').on(table.user_id, table.id)],
)

trashedRows(passkeys)
