import { readdirSync, readFileSync } from 'node:fs'
import { parse as parsePath } from 'node:path'
import { parse } from 'csv-parse/sync'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { Language } from '../../core/default-workflow.ts'
import { root } from '../../root.ts'
import type { Database } from '../open.ts'

// The compiled program reads it from the sources.
const folder = new URL('src/database/sample/content/', root)

export function readContent<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8'))
}

/** The rows of a table of texts; empty cells are null. */
export function readTable<Row>(name: string): Row[] {
  return parse(readFileSync(new URL(`${name}.csv`, folder)), { columns: true, cast: (text) => text || null })
}

export function readContentFiles(name: 'pictures' | 'portraits' | `documents/${Language}`): [name: string, content: Buffer][] {
  const files = new URL(`${name}/`, folder)
  return readdirSync(files).map((file) => [parsePath(file).name, readFileSync(new URL(file, files))])
}

/** Hundreds a statement, as each statement writes the search indexes and has a limit of values. */
export function insertAll<T extends SQLiteTable>(db: Database, table: T, rows: T['$inferInsert'][]): void {
  for (let start = 0; start < rows.length; start += 500)
    db.insert(table)
      .values(rows.slice(start, start + 500))
      .run()
}

export interface SampleFiles {
  pictures: Record<string, string>
  portraits: Record<string, string>
  documents: Record<string, { key: string; name: string; type: string; size: number }>
}

export const noFiles: SampleFiles = { pictures: {}, portraits: {}, documents: {} }

export const minute = 60_000
export const day = 24 * 60 * minute

export const now = Date.now()
export const today = now - (now % day)

export function daysAgo(days: number): number {
  return Math.round(today - days * day)
}

export function dateOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}

export function timestamps(at: number): { created_at: number; updated_at: number } {
  return { created_at: at, updated_at: at }
}
