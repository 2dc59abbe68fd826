import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import Sqlite from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { migrate } from 'drizzle-orm/better-sqlite3/migrator'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import type { Database } from './database.ts'
import { prepareOnce } from './prepare-once.ts'
import { addFunctions } from './reader.ts'
import * as schema from './schema/index.ts'
import { createTriggers, dropTriggers, triggerDifferences } from './triggers.ts'

export type { Database } from './database.ts'

const migrationsFolder = fileURLToPath(new URL('../../drizzle', import.meta.url))

export function openDatabase(file: string): Database {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const client = new Sqlite(file)
  client.pragma('journal_mode = WAL')
  client.pragma('synchronous = FULL')
  client.pragma('foreign_keys = ON')
  client.pragma('busy_timeout = 5000')
  client.pragma('cache_size = -16000')
  client.pragma('temp_store = MEMORY')
  addFunctions(client)
  return Object.assign(drizzle(client, { schema }), { $client: client })
}

/** Triggers and full-text tables are dropped meanwhile: SQLite cannot rebuild a table that a trigger mentions. */
export function migrateDatabase(database: Database, folder = migrationsFolder): void {
  const client = database.$client
  if (lastMigration(client) >= newestMigration(folder) && triggerDifferences(client).length === 0) return
  // With foreign keys on, rebuilding a table would cascade deletions.
  client.pragma('foreign_keys = OFF')
  const before = client.transaction(() => {
    saveSequences(client)
    dropTriggers(client)
  })
  const after = client.transaction(() => {
    restoreSequences(client)
    createTriggers(client)
  })
  try {
    before.immediate()
    migrate(database, { migrationsFolder: folder })
    after.immediate()
  } finally {
    client.pragma('foreign_keys = ON')
  }
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

/** Runs one write in an immediate transaction, so that what it reads first is still true when it writes. */
export function write<T>(database: Database, work: () => T): T {
  return transaction(database).immediate(work) as T
}

/** What `work` returns, for a dry run: whatever it writes is rolled back. */
export function writeAndRollBack<T>(database: Database, work: () => T): T {
  const rollback = new Error('only tried out')
  let result: T | undefined
  try {
    write(database, () => {
      result = work()
      throw rollback
    })
  } catch (error) {
    if (error !== rollback) throw error
  }
  return result as T
}

/**
 * Writes that may be lost in a power failure, as if they had not been made: those that are worth nothing without a later one, which
 * waits for the disk to have all of them.
 */
export function withoutWaiting<T>({ $client: client }: Database, work: () => T): T {
  const level = Number(client.pragma('synchronous', { simple: true }))
  if (level <= normal) return work()
  client.pragma(`synchronous = ${normal}`)
  try {
    return work()
  } finally {
    client.pragma(`synchronous = ${level}`)
  }
}

const normal = 1

const transaction = prepareOnce((database) => database.$client.transaction((work: () => unknown) => work()))

// Rebuilding a table makes SQLite forget which ids deleted rows had; history and trash still refer to them, so they must never be
// reused.

export function saveSequences(client: Sqlite.Database): void {
  client.exec(`
    create table if not exists saved_sequences (id integer primary key autoincrement, name text not null, seq integer not null);
    insert into saved_sequences (name, seq) select name, seq from sqlite_sequence where name <> 'saved_sequences'`)
}

export function restoreSequences(client: Sqlite.Database): void {
  client.exec(`
    insert into sqlite_sequence (name, seq) select distinct name, 0 from saved_sequences
      where name in (select name from sqlite_master where type = 'table') and name not in (select name from sqlite_sequence);
    update sqlite_sequence set seq = max(seq, (select max(saved.seq) from saved_sequences as saved where saved.name = sqlite_sequence.name))
      where name in (select name from saved_sequences);
    drop table saved_sequences`)
}
