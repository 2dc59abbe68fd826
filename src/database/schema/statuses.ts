import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text, unique } from 'drizzle-orm/sqlite-core'
import { dues } from '../../core/payments.ts'
import { expectations } from '../../core/transition-rules.ts'
import { belongsTo, flag, id, recordRules, seedColumn, trashedRows, versionedColumns } from './columns.ts'

export const statuses = sqliteTable(
  'statuses',
  {
    id: id(),
    index: integer().notNull().default(0),
    status_key: text().notNull().unique(),
    name: text().notNull(),
    ...seedColumn,
    color: text(),
    description: text(),
    notify_manager: flag(false),
    notify_admin: flag(false),
    notify_dealer: flag(false),
    notify_make: flag(false),
    /** Who is expected to act on orders in this status. */
    expected: text({ enum: expectations }).notNull().default('default'),
    /** Whether orders that enter it become due or cease to be; empty where it changes nothing. */
    due: text({ enum: dues }),
    ...versionedColumns,
  },
  (table) => [index('statuses_index').on(table.index, table.id)],
)

recordRules(statuses, { label: sql`${statuses.name}`, derived: ['seed_key'] })

export const statusTransitions = sqliteTable(
  'status_transitions',
  {
    id: id(),
    parent_status_id: belongsTo(() => statuses.id),
    child_status_id: belongsTo(() => statuses.id),
    action_name: text(),
    ...seedColumn,
    dealer_can: flag(false),
    manager_can: flag(false),
    production_can: flag(false),
    dealers_can: flag(false),
    managers_can: flag(false),
    productions_can: flag(false),
    required_fields: text({ mode: 'json' }).$type<string[]>().notNull().default([]),
    forced_fields: text({ mode: 'json' }).$type<string[]>().notNull().default([]),
    /** The kinds of documents that it issues. */
    issues: text({ mode: 'json' }).$type<string[]>().notNull().default([]),
    /** The least percentage of its cost that is paid of an order that takes it. */
    min_paid: integer(),
    /** Whether an order takes it only while its company stays within its credit limit. */
    within_limit: flag(false),
    /** Whether an order takes it by itself once enough of it is paid. */
    when_paid: flag(false),
  },
  (table) => [index('status_transitions_parent').on(table.parent_status_id), index('status_transitions_child').on(table.child_status_id)],
)

trashedRows(statusTransitions)

/** Nobody names these anew: each is known by its key. */
export const statusPolicies = sqliteTable('status_policies', {
  id: id(),
  key: text().notNull().unique(),
  name: text().notNull(),
})

export const policyStatus = sqliteTable(
  'policy_status',
  {
    id: id(),
    status_id: belongsTo(() => statuses.id),
    status_policy_id: belongsTo(() => statusPolicies.id),
    value: flag(false),
  },
  (table) => [
    unique('policy_status_pair').on(table.status_id, table.status_policy_id),
    index('policy_status_policy').on(table.status_policy_id),
  ],
)

trashedRows(policyStatus)
