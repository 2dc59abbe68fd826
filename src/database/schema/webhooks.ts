import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { belongsTo, ephemeralRows, id, timestamp } from './columns.ts'

export const webhookEvents = [
  'order.created',
  'order.status_changed',
  'order.changed',
  'order.message',
  'payment.reported',
  'payment.confirmed',
  'payment.rejected',
  'payment.reversed',
  'document.issued',
] as const
export type WebhookEvent = (typeof webhookEvents)[number]

/** Addresses of other programs that are told of events. */
export const webhooks = sqliteTable('webhooks', {
  id: id(),
  url: text().notNull(),
  /** What messages are signed with, as `whsec_…`. */
  secret: text().notNull(),
  events: text({ mode: 'json' }).$type<WebhookEvent[]>().notNull(),
  created_at: timestamp().notNull(),
  /** Since when nothing has been accepted there. */
  failing_since: timestamp(),
  paused_at: timestamp(),
})

/** Addresses hold keys of other programs: the history names the host. */
ephemeralRows(webhooks, ['url', 'secret'], { derived: ['failing_since'] })

/** What happened, as it is sent to each address, whatever becomes of the record afterwards. */
export const webhookMessages = sqliteTable(
  'webhook_messages',
  {
    id: id(),
    /** By it receivers recognize what they have been sent before. */
    message_id: text().notNull(),
    type: text().notNull(),
    at: timestamp().notNull(),
    body: text().notNull(),
    /** What can be taken back, such as a step of an order, and the message with it. */
    subject: text(),
  },
  (table) => [
    index('webhook_messages_subject').on(table.subject).where(sql`subject is not null`),
    index('webhook_messages_at').on(table.at),
  ],
)

ephemeralRows(webhookMessages)

export const webhookDeliveries = sqliteTable(
  'webhook_deliveries',
  {
    id: id(),
    webhook_id: belongsTo(() => webhooks.id),
    message_id: belongsTo(() => webhookMessages.id),
    /** What waits for an address that is paused is not looked through for what is due. */
    state: text({ enum: ['waiting', 'paused', 'sent', 'failed'] })
      .notNull()
      .default('waiting'),
    attempts: integer().notNull().default(0),
    next_at: timestamp().notNull(),
  },
  (table) => [
    index('webhook_deliveries_next').on(table.webhook_id, table.next_at).where(sql`state = 'waiting'`),
    index('webhook_deliveries_webhook').on(table.webhook_id, table.id),
    index('webhook_deliveries_message').on(table.message_id),
  ],
)

ephemeralRows(webhookDeliveries)

export const webhookAttempts = sqliteTable(
  'webhook_attempts',
  {
    id: id(),
    delivery_id: belongsTo(() => webhookDeliveries.id),
    at: timestamp().notNull(),
    /** Of the answer; empty where there was none. */
    status: integer(),
    /** The beginning of the answer, or why there was none. */
    answer: text().notNull(),
  },
  (table) => [index('webhook_attempts_delivery').on(table.delivery_id, table.id)],
)

ephemeralRows(webhookAttempts)
