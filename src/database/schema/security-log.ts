import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { id, timestamp } from './columns.ts'

export const securityEventLabels = {
  'signed-in': 'Signed in',
  refused: 'Sign-in failed',
  'locked-out': 'Sign-in blocked',
  'factor-used': 'Signed in with a code',
  'factor-changed': 'Two-step verification changed',
  'password-requested': 'Password reset requested',
  'password-changed': 'Password changed',
  'email-changed': 'Email changed',
  'impersonation-begun': 'Impersonation started',
  'impersonation-ended': 'Impersonation ended',
  'rights-changed': 'Permissions changed',
  'sessions-ended': 'Sessions ended',
  exported: 'Data exported',
  'access-refused': 'Access denied',
}

export type SecurityEventName = keyof typeof securityEventLabels

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
