import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { id, timestamp } from './columns.ts'

export type ChangedFields = Record<string, [before: unknown, after: unknown]>

export interface Author {
  id: number | null
  name: string
  impersonator?: { id: number; name: string }
  address?: string
  userAgent?: string
}

export type StoredRow = Record<string, unknown>

// Ids and names without foreign keys: the audit log outlives the records it mentions.

export const changes = sqliteTable(
  'changes',
  {
    id: id(),
    at: timestamp().notNull(),
    actor_id: integer(),
    actor_name: text().notNull(),
    impersonator_id: integer(),
    impersonator_name: text(),
    address: text(),
    action: text({ enum: ['create', 'update', 'delete', 'restore'] }).notNull(),
    entity: text().notNull(),
    record_id: integer().notNull(),
    record_version: integer().notNull(),
    label: text().notNull(),
    fields: text({ mode: 'json' }).$type<ChangedFields>().notNull(),
    search: text().notNull().default(''),
  },
  (table) => [
    index('changes_record').on(table.entity, table.record_id, table.record_version),
    index('changes_actor').on(table.actor_id, table.at),
    index('changes_impersonator').on(table.impersonator_id, table.at).where(sql`impersonator_id is not null`),
    index('changes_entity').on(table.entity, table.at),
    index('changes_action').on(table.action, table.at),
    index('changes_at').on(table.at),
    index('changes_search').on(table.search),
  ],
)
