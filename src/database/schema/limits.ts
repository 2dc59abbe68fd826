import { index, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { caseInsensitive, id, timestamp } from './columns.ts'

export const signInFailures = sqliteTable(
  'sign_in_failures',
  { id: id(), email: caseInsensitive().notNull(), address: text().notNull(), at: timestamp().notNull() },
  (table) => [
    index('sign_in_failures_email').on(table.email, table.at),
    index('sign_in_failures_address').on(table.address, table.at),
    index('sign_in_failures_at').on(table.at),
  ],
)

export const rateHits = sqliteTable('rate_hits', { id: id(), key: text().notNull(), at: timestamp().notNull() }, (table) => [
  index('rate_hits_key').on(table.key, table.at),
  index('rate_hits_at').on(table.at),
])
