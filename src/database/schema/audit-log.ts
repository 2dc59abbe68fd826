import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { id, timestamp } from './columns.ts'

/** Old and new value of each field that changed; a repeater is one field holding its rows. */
export type ChangedFields = Record<string, [before: unknown, after: unknown]>

/** A row of any table, by column name. */
export type StoredRow = Record<string, unknown>

export interface ClearedReference {
  table: string
  column: string
  value: unknown
  ids: number[]
}

export interface RemovedRecord {
  /** The record's own row and every row that was deleted with it, parents first. */
  rows: { table: string; row: StoredRow }[]
  /** References elsewhere that became empty: which column of which rows. */
  references: ClearedReference[]
}

// The journal outlives what it speaks of: it holds ids and names, never foreign keys.

export const changes = sqliteTable(
  'changes',
  {
    id: id(),
    at: timestamp().notNull(),
    /** In whose name the change was made. */
    actor_id: integer(),
    actor_name: text().notNull(),
    /** Who really sat there, when the actor was being impersonated. */
    impersonator_id: integer(),
    impersonator_name: text(),
    address: text(),
    action: text({ enum: ['create', 'update', 'delete', 'restore'] }).notNull(),
    entity: text().notNull(),
    record_id: integer().notNull(),
    record_version: integer().notNull(),
    label: text().notNull(),
    fields: text({ mode: 'json' }).$type<ChangedFields>().notNull(),
    /** What it is found by: the label and the names, folded. */
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

export const trash = sqliteTable(
  'bin',
  {
    id: id(),
    /** Records deleted by one action share it. */
    batch: text().notNull(),
    /** How many records the batch has; only its first record says so and stands for all of them. */
    size: integer(),
    at: timestamp().notNull(),
    /** When the batch was restored: kept until it is swept, so that a second undo learns of the first. */
    restored_at: timestamp(),
    actor_id: integer(),
    actor_name: text().notNull(),
    /** The list that the record was deleted from: its rules decide who may restore it. */
    list: text().notNull().default(''),
    entity: text().notNull(),
    record_id: integer().notNull(),
    label: text().notNull(),
    /** What rules about ownership look at: the ids and flags of the record's row. */
    facts: text({ mode: 'json' }).$type<StoredRow>().notNull().default({}),
    removed: text({ mode: 'json' }).$type<RemovedRecord>().notNull(),
    search: text().notNull().default(''),
  },
  (table) => [
    index('bin_at').on(table.at),
    index('bin_batch').on(table.batch),
    index('bin_record').on(table.entity, table.record_id),
    index('bin_waiting').on(table.at).where(sql`size is not null and restored_at is null`),
  ],
)

/** Where a form that was already accepted led to, by the random `once` it carried. */
export const submissions = sqliteTable(
  'submissions',
  {
    user_id: integer().notNull(),
    once: text().notNull(),
    location: text().notNull(),
    at: timestamp().notNull(),
  },
  (table) => [primaryKey({ columns: [table.user_id, table.once] }), index('submissions_at').on(table.at)],
)

/** Who sent which file when; until a record names the file, only that person may. */
export const uploads = sqliteTable(
  'uploads',
  {
    id: id(),
    key: text().notNull(),
    name: text().notNull(),
    type: text().notNull(),
    size: integer().notNull(),
    user_id: integer().notNull(),
    at: timestamp().notNull(),
  },
  (table) => [index('uploads_key').on(table.key, table.user_id), index('uploads_at').on(table.at)],
)

/** Sets of defaults that were planted once, so that what people deleted stays deleted. */
export const seeded = sqliteTable('planted', { name: text().primaryKey(), at: timestamp().notNull() })
