import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { id, timestamp } from './columns.ts'

export type ChangedFields = Record<string, [before: unknown, after: unknown]>

export type StoredRow = Record<string, unknown>

export interface ClearedReference {
  table: string
  column: string
  value: unknown
  ids: number[]
}

export interface RemovedRecord {
  rows: { table: string; row: StoredRow }[]
  references: ClearedReference[]
}

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

export const trash = sqliteTable(
  'bin',
  {
    id: id(),
    batch: text().notNull(),
    size: integer(),
    at: timestamp().notNull(),
    /** Kept for a while after restoring, so that a second undo is told about the first. */
    restored_at: timestamp(),
    actor_id: integer(),
    actor_name: text().notNull(),
    /** The list the record was deleted from: its rules decide who may restore it. */
    list: text().notNull().default(''),
    entity: text().notNull(),
    record_id: integer().notNull(),
    label: text().notNull(),
    /** On the first record of a batch: what decides who may restore it, once for all records that are alike in this. */
    facts: text({ mode: 'json' }).$type<StoredRow[]>().notNull().default([]),
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

/** Rows of deleted records that nobody may read, until their record is restored or leaves the trash. */
export const keptRows = sqliteTable(
  'kept_rows',
  {
    id: id(),
    entity: text().notNull(),
    record_id: integer().notNull(),
    table: text().notNull(),
    row: text({ mode: 'json' }).$type<StoredRow>().notNull(),
  },
  (table) => [index('kept_rows_record').on(table.entity, table.record_id)],
)

/** Batches that are being deleted or restored, a part of them at a time: what a kill interrupts is undone at the next start. */
export const unfinishedBatches = sqliteTable('unfinished_batches', {
  batch: text().primaryKey(),
  action: text({ enum: ['delete', 'restore'] }).notNull(),
})

export const submissions = sqliteTable(
  'submissions',
  {
    user_id: integer().notNull(),
    once: text().notNull(),
    /** The address that it was sent to. */
    form: text().notNull().default(''),
    location: text().notNull(),
    report: text({ mode: 'json' }).$type<{ id: number; label: string; reason?: string }[]>(),
    at: timestamp().notNull(),
  },
  (table) => [primaryKey({ columns: [table.user_id, table.once] }), index('submissions_at').on(table.at)],
)

/** Until a record references a file, only the person who uploaded it may open it. */
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

/** Defaults that were seeded once, so that what people deleted stays deleted. */
export const seeded = sqliteTable('planted', { name: text().primaryKey(), at: timestamp().notNull() })
