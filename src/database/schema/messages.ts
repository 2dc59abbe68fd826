import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { belongsTo, ephemeralRows, flag, id, timestamp, trashedRows } from './columns.ts'
import { orders } from './orders.ts'
import { users } from './users.ts'

/** The discussion of an order. Stores names, so that messages stay readable after a deletion. */
export const orderMessages = sqliteTable(
  'order_messages',
  {
    id: id(),
    order_id: belongsTo(() => orders.id),
    at: timestamp().notNull(),
    author_id: integer().notNull(),
    author_name: text().notNull(),
    author_group: integer().notNull(),
    impersonator_name: text(),
    text: text().notNull(),
    internal: flag(false),
    edited_at: timestamp(),
    withdrawn_at: timestamp(),
  },
  (table) => [index('order_messages_order').on(table.order_id, table.id)],
)

trashedRows(orderMessages)

export const orderMessageEdits = sqliteTable(
  'order_message_edits',
  {
    id: id(),
    message_id: belongsTo(() => orderMessages.id),
    at: timestamp().notNull(),
    text: text().notNull(),
    impersonator_name: text(),
  },
  (table) => [index('order_message_edits_message').on(table.message_id)],
)

trashedRows(orderMessageEdits)

export const orderMessageFiles = sqliteTable(
  'order_message_files',
  {
    id: id(),
    message_id: belongsTo(() => orderMessages.id),
    file: text().notNull(),
    name: text().notNull(),
    size: integer().notNull(),
  },
  (table) => [index('order_message_files_message').on(table.message_id), index('order_message_files_file').on(table.file)],
)

trashedRows(orderMessageFiles, { files: ['file'] })

export const orderVisits = sqliteTable(
  'order_visits',
  {
    user_id: belongsTo(() => users.id),
    order_id: belongsTo(() => orders.id),
    seen_at: timestamp().notNull(),
  },
  (table) => [primaryKey({ columns: [table.user_id, table.order_id] }), index('order_visits_order').on(table.order_id)],
)

ephemeralRows(orderVisits)
