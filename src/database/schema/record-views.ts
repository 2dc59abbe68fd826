import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { id, timestamp } from './columns.ts'

export const viewedKinds = ['companies', 'dealers', 'orders'] as const
export type ViewedKind = (typeof viewedKinds)[number]

/** Who opened which record, while the settings want that kept. Like logs it holds ids and names, no foreign keys. */
export const recordViews = sqliteTable(
  'record_views',
  {
    id: id(),
    at: timestamp().notNull(),
    kind: text({ enum: viewedKinds }).notNull(),
    record_id: integer().notNull(),
    /** What it was called. */
    label: text().notNull(),
    user_id: integer().notNull(),
    user_name: text().notNull(),
    impersonator_id: integer(),
    impersonator_name: text(),
    address: text().notNull(),
  },
  (table) => [
    index('record_views_at').on(table.at),
    index('record_views_record').on(table.kind, table.record_id, table.at),
    index('record_views_user').on(table.user_id, table.at),
  ],
)
