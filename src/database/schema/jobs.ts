import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import type { Author } from './audit-log.ts'
import { id, timestamp } from './columns.ts'

/** A record that was left out, and why. */
export interface Skipped {
  id: number
  label: string
  reason: string
}

/** Of partial indexes, which serve only queries that say the same. */
export const isOpenJob = sql`state in ('waiting', 'running')`

/** What takes too long for a request: one worker carries it out, a part at a time, and goes on after a restart where it stopped. */
export const jobs = sqliteTable(
  'jobs',
  {
    id: id(),
    kind: text().notNull(),
    /** The list it is about. */
    list: text().notNull(),
    /** What it works on: of two alike, one waits or runs at a time. */
    subject: text(),
    state: text({ enum: ['waiting', 'running', 'done', 'failed', 'stopped'] })
      .notNull()
      .default('waiting'),
    done: integer().notNull().default(0),
    total: integer().notNull(),
    skipped: integer().notNull().default(0),
    attempts: integer().notNull().default(0),
    /** A text of ours and its parameters. */
    problem: text({ mode: 'json' }).$type<[message: string, params?: Record<string, unknown>]>(),
    /** No reference, as it outlives the person. */
    user_id: integer().notNull(),
    author: text({ mode: 'json' }).$type<Author>().notNull(),
    /** When its author last gave their password. */
    authenticated_at: timestamp().notNull(),
    created_at: timestamp().notNull(),
    /** When it was begun, or begun again after it had ended. */
    started_at: timestamp().notNull(),
    due_at: timestamp().notNull(),
    /** When the worker last took it: whichever has waited longest is next. */
    claimed_at: timestamp().notNull().default(0),
    ended_at: timestamp(),
    /** The first of those that were skipped. */
    report: text({ mode: 'json' }).$type<Skipped[]>().notNull().default([]),
    payload: text({ mode: 'json' }).notNull(),
  },
  (table) => [
    index('jobs_open').on(table.claimed_at, table.id).where(isOpenJob),
    uniqueIndex('jobs_subject').on(table.subject).where(isOpenJob),
    index('jobs_user').on(table.user_id, table.id),
    index('jobs_ended').on(table.ended_at),
  ],
)
