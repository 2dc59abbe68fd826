import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { belongsTo, ephemeralRows, id, refersTo, timestamp, trashedRows } from './columns.ts'
import { jobs } from './jobs.ts'
import { orderMessages } from './messages.ts'
import { orderHistory, orders } from './orders.ts'
import { payments } from './payments.ts'
import { users } from './users.ts'

export const notifications = sqliteTable(
  'notifications',
  {
    id: id(),
    user_id: belongsTo(() => users.id),
    order_id: refersTo(() => orders.id),
    history_id: refersTo(() => orderHistory.id),
    message_id: refersTo(() => orderMessages.id),
    payment_id: refersTo(() => payments.id),
    job_id: refersTo(() => jobs.id),
    status_name: text().notNull(),
    event: text({
      enum: [
        'password-changed',
        'email-changed',
        'telegram-changed',
        'factor-changed',
        'passkey-added',
        'passkey-removed',
        'export-ready',
        'export-failed',
        'job-done',
        'job-failed',
        'job-stopped',
        'webhook-paused',
        'deputy-named',
        'deputy-given',
        'deputy-ended',
        'webhook-added',
        'administrator-added',
        'administrator-rights',
        'payment-reported',
        'payment-confirmed',
        'payment-rejected',
        'payment-reversed',
        'paid-in-full',
        'paid-waiting',
        'payment-due',
        'payment-overdue',
        'order-changed',
        'turn-reminder',
      ],
    }),
    /** A spreadsheet that waits to be downloaded: its name among the incoming files, and the name to save it under. */
    file: text(),
    file_name: text(),
    /** What an event of the installation is about, for whom and until when somebody is a deputy, what a paid order waits for or what of an order was changed, and who caused it. */
    detail: text(),
    actor_name: text(),
    address: text(),
    user_agent: text(),
    read_at: timestamp(),
    created_at: timestamp().notNull(),
  },
  (table) => [
    index('notifications_user').on(table.user_id, table.id),
    index('notifications_unread').on(table.user_id, table.id).where(sql`read_at is null`),
    index('notifications_unread_orders').on(table.user_id, table.order_id).where(sql`read_at is null`),
    index('notifications_read').on(table.read_at).where(sql`read_at is not null`),
    index('notifications_order').on(table.order_id),
    index('notifications_job').on(table.job_id).where(sql`job_id is not null`),
    uniqueIndex('notifications_history').on(table.history_id, table.user_id),
    uniqueIndex('notifications_message').on(table.message_id, table.user_id),
    uniqueIndex('notifications_payment').on(table.payment_id, table.event, table.user_id),
    index('notifications_unread_messages').on(table.user_id, table.order_id).where(sql`message_id is not null and read_at is null`),
  ],
)

trashedRows(notifications)

export const deliveries = sqliteTable(
  'deliveries',
  {
    id: id(),
    notification_id: belongsTo(() => notifications.id),
    channel: text().notNull(),
    state: text({ enum: ['waiting', 'sent', 'failed'] })
      .notNull()
      .default('waiting'),
    attempts: integer().notNull().default(0),
    next_at: timestamp().notNull(),
    /** When its person is sent all that is gathered until then, in one message; null for what is sent by itself. */
    gathered_for: timestamp(),
    sent_at: timestamp(),
    last_error: text(),
    recipient: text(),
  },
  (table) => [
    index('deliveries_next').on(table.channel, table.next_at).where(sql`state = 'waiting'`),
    index('deliveries_state').on(table.state, table.id),
    uniqueIndex('deliveries_notification').on(table.notification_id, table.channel),
  ],
)

ephemeralRows(deliveries)
