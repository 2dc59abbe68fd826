import { fileURLToPath } from 'node:url'
import type Sqlite from 'better-sqlite3'
import { type MigrationMeta, readMigrationFiles } from 'drizzle-orm/migrator'
import { root } from '../root.ts'
import type { Database } from './database.ts'
import { createTriggers, dropTriggers, triggerDifferences } from './triggers.ts'

const migrationsFolder = fileURLToPath(new URL('drizzle', root))

/**
 * Brings a database up to the newest migration in one transaction. Triggers and full-text tables are dropped meanwhile: SQLite cannot
 * rebuild a table that a trigger mentions.
 * @throws Error when a reference would lead nowhere afterwards; the database is as before
 */
export function migrateDatabase(database: Database, folder = migrationsFolder): void {
  const client = database.$client
  if (lastMigration(client) >= newestMigration(folder) && triggerDifferences(client).length === 0) return
  // With foreign keys on, rebuilding a table would cascade deletions.
  client.pragma('foreign_keys = OFF')
  try {
    client.transaction(() => applyMigrations(client, folder)).immediate()
  } finally {
    client.pragma('foreign_keys = ON')
  }
}

function applyMigrations(client: Sqlite.Database, folder: string): void {
  saveSequences(client)
  dropTriggers(client)
  const last = lastMigration(client)
  const missing = readMigrationFiles({ migrationsFolder: folder }).filter(({ folderMillis }) => folderMillis > last)
  for (const migration of missing) applyMigration(client, migration)
  if (missing.length > 0) refuseDanglingReferences(client)
  restoreSequences(client)
  createTriggers(client)
}

/** The table is the one that drizzle-kit and drizzle's own migrator keep, whose migrator cannot check anything before it commits. */
function applyMigration(client: Sqlite.Database, { sql, hash, folderMillis }: MigrationMeta): void {
  for (const statement of sql) client.exec(statement)
  client.exec('create table if not exists __drizzle_migrations (id SERIAL PRIMARY KEY, hash text NOT NULL, created_at numeric)')
  client.prepare('insert into __drizzle_migrations (hash, created_at) values (?, ?)').run(hash, folderMillis)
}

interface Violation {
  table: string
  rowid: number
  parent: string
}

function refuseDanglingReferences(client: Sqlite.Database): void {
  const [first, ...others] = client.pragma('foreign_key_check') as Violation[]
  if (!first) return
  const more = others.length > 0 ? `, and ${others.length} more` : ''
  throw new Error(`migration stopped, nothing changed: row ${first.rowid} of ${first.table} names a missing row of ${first.parent}${more}`)
}

export function isMigrated(database: Database): boolean {
  return lastMigration(database.$client) === latestMigration
}

export function lastMigration(client: Sqlite.Database): number {
  const known = client.prepare("select 1 from sqlite_master where name = '__drizzle_migrations'").get()
  return known ? Number(client.prepare('select max(created_at) from __drizzle_migrations').pluck().get()) : 0
}

function newestMigration(folder: string): number {
  return readMigrationFiles({ migrationsFolder: folder }).at(-1)?.folderMillis ?? 0
}

export const latestMigration = newestMigration(migrationsFolder)

export const schemaVersion = readMigrationFiles({ migrationsFolder }).length

// Rebuilding a table makes SQLite forget which ids deleted rows had; history and trash still refer to them, so they must never be
// reused.

function saveSequences(client: Sqlite.Database): void {
  client.exec(`
    create table if not exists saved_sequences (id integer primary key autoincrement, name text not null, seq integer not null);
    insert into saved_sequences (name, seq) select name, seq from sqlite_sequence where name <> 'saved_sequences'`)
}

/** Tables with ids that have had another name. */
const renamedTables = {
  right_requests: 'access_requests',
  kept_forms: 'pending_submissions',
  bin: 'trash',
  kept_rows: 'trashed_credentials',
}

function restoreSequences(client: Sqlite.Database): void {
  const rename = client.prepare('update saved_sequences set name = ? where name = ?')
  for (const [before, now] of Object.entries(renamedTables)) rename.run(now, before)
  client.exec(`
    insert into sqlite_sequence (name, seq) select distinct name, 0 from saved_sequences
      where name in (select name from sqlite_master where type = 'table') and name not in (select name from sqlite_sequence);
    update sqlite_sequence set seq = max(seq, (select max(saved.seq) from saved_sequences as saved where saved.name = sqlite_sequence.name))
      where name in (select name from saved_sequences);
    drop table saved_sequences`)
}
