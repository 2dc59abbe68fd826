import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { belongsTo, credentialRows, id, timestamp } from './columns.ts'
import { users } from './users.ts'

export const secondFactors = sqliteTable('second_factors', {
  user_id: belongsTo(() => users.id).primaryKey(),
  secret: text().notNull(),
  /** The period of the last code that was taken: no code works twice. */
  last_step: integer().notNull(),
  created_at: timestamp().notNull(),
})

credentialRows(secondFactors, ['secret'])

export const recoveryCodes = sqliteTable(
  'recovery_codes',
  {
    id: id(),
    user_id: belongsTo(() => users.id),
    code_hash: text().notNull(),
  },
  (table) => [index('recovery_codes_user').on(table.user_id, table.code_hash)],
)

credentialRows(recoveryCodes, ['code_hash'])
