import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { StoredRow } from './audit-log.ts'
import { id, timestamp } from './columns.ts'

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

export const trash = sqliteTable(
  'trash',
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
    index('trash_at').on(table.at),
    index('trash_batch').on(table.batch),
    index('trash_record').on(table.entity, table.record_id),
    index('trash_waiting').on(table.at).where(sql`size is not null and restored_at is null`),
  ],
)

/** Rows of deleted records that nobody may read, until their record is restored or leaves the trash. */
export const trashedCredentials = sqliteTable(
  'trashed_credentials',
  {
    id: id(),
    entity: text().notNull(),
    record_id: integer().notNull(),
    table: text().notNull(),
    row: text({ mode: 'json' }).$type<StoredRow>().notNull(),
  },
  (table) => [index('trashed_credentials_record').on(table.entity, table.record_id)],
)
