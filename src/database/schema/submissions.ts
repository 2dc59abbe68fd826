import { blob, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { belongsTo, ephemeralRows, id, timestamp } from './columns.ts'
import { users } from './users.ts'

export const submissions = sqliteTable(
  'submissions',
  {
    user_id: integer().notNull(),
    once: text().notNull(),
    /** The address that it was sent to. */
    form: text().notNull().default(''),
    /** What tells the values that were sent from others; empty where that was not kept. */
    sent: text().notNull().default(''),
    location: text().notNull(),
    /** That it led to, where it is one. */
    record_id: integer(),
    report: text({ mode: 'json' }).$type<{ id: number; label: string; reason?: string }[]>(),
    at: timestamp().notNull(),
  },
  (table) => [primaryKey({ columns: [table.user_id, table.once] }), index('submissions_at').on(table.at)],
)

/** Forms submitted after their session expired, kept until the same person signs in again. */
export const pendingSubmissions = sqliteTable(
  'pending_submissions',
  {
    id: id(),
    user_id: belongsTo(() => users.id),
    /** SHA-256 of the random value in the browser's cookie, which is also the key to `sealed`. */
    browser_hash: text().notNull(),
    sealed: blob({ mode: 'buffer' }).notNull(),
    at: timestamp().notNull(),
  },
  (table) => [index('pending_submissions_user').on(table.user_id, table.at), index('pending_submissions_at').on(table.at)],
)

ephemeralRows(pendingSubmissions, ['browser_hash', 'sealed'])
