import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { belongsTo, caseInsensitive, ephemeralRows, id, timestamp } from './columns.ts'
import { users } from './users.ts'

export const passwordResets = sqliteTable(
  'password_resets',
  {
    id: id(),
    token_hash: text().notNull().unique(),
    user_id: belongsTo(() => users.id),
    email: caseInsensitive().notNull(),
    at: timestamp().notNull(),
  },
  (table) => [index('password_resets_user').on(table.user_id, table.at), index('password_resets_at').on(table.at)],
)

ephemeralRows(passwordResets, ['token_hash'])

/** Links by which new users set their first password; accepted ones stay, so that their state can be shown. */
export const invitations = sqliteTable('invitations', {
  user_id: belongsTo(() => users.id).primaryKey(),
  token_hash: text().notNull().unique(),
  email: caseInsensitive().notNull(),
  at: timestamp().notNull(),
  accepted_at: integer(),
  /** Empty in those that are older than this column. */
  inviter_name: text(),
})

ephemeralRows(invitations, ['token_hash'])
