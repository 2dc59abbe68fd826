import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { SecurityEventName } from '../../core/labels.ts'
import { id, timestamp } from './columns.ts'

/** Who did what for security, append-only: triggers refuse changes. Like the change history it holds ids and names, no foreign keys. */
export const securityEvents = sqliteTable(
  'security_events',
  {
    id: id(),
    at: timestamp().notNull(),
    event: text().$type<SecurityEventName>().notNull(),
    user_id: integer(),
    user_name: text().notNull().default(''),
    actor_id: integer(),
    actor_name: text().notNull().default(''),
    impersonator_id: integer(),
    impersonator_name: text(),
    address: text().notNull().default(''),
    user_agent: text().notNull().default(''),
    detail: text().notNull().default(''),
  },
  (table) => [
    index('security_events_at').on(table.at),
    index('security_events_event').on(table.event, table.at),
    index('security_events_user').on(table.user_id, table.at),
    index('security_events_actor').on(table.actor_id, table.at),
    index('security_events_impersonator').on(table.impersonator_id, table.at),
  ],
)
