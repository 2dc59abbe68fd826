import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import Sqlite from 'better-sqlite3'
import { sql } from 'drizzle-orm'
import { type BetterSQLite3Database, drizzle } from 'drizzle-orm/better-sqlite3'
import { migrate } from 'drizzle-orm/better-sqlite3/migrator'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import { fold, letterPairs, searchTerms } from '../core/text.ts'
import { prepareOnce } from './prepare-once.ts'
import * as schema from './schema/index.ts'
import { keepingStatements } from './statements.ts'

export type Database = BetterSQLite3Database<typeof schema> & { $client: Sqlite.Database }

const migrationsFolder = fileURLToPath(new URL('../../drizzle', import.meta.url))

/** Opens the database file, making its folder when missing. The tables come with `migrateDatabase`. */
export function openDatabase(file: string): Database {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const client = new Sqlite(file)
  client.pragma('journal_mode = WAL')
  client.pragma('synchronous = FULL')
  client.pragma('foreign_keys = ON')
  client.pragma('busy_timeout = 5000')
  client.pragma('cache_size = -64000')
  client.pragma('temp_store = MEMORY')
  client.function('fold', { deterministic: true }, (text: unknown) => fold(String(text ?? '')))
  // Of use to a migration only.
  client.function('letter_pairs', { deterministic: true }, (text: unknown) => letterPairs(String(text ?? '')))
  client.function('search_terms', { deterministic: true }, (text: unknown) => searchTerms(String(text ?? '')))
  return Object.assign(drizzle(keepingStatements(client), { schema }), { $client: client })
}

export function migrateDatabase(database: Database): void {
  // Migrations may rebuild tables, which a checked foreign key would turn into deletions.
  database.$client.pragma('foreign_keys = OFF')
  migrate(database, { migrationsFolder })
  database.$client.pragma('foreign_keys = ON')
}

/** Whether the database has every migration that this version of the service knows. */
export function isMigrated(database: Database): boolean {
  const done = database.get<{ last: number }>(sql`select max(created_at) as last from __drizzle_migrations`)
  return Number(done.last) === latestMigration
}

/** When the newest migration of this version was made: what the database says of its last one. */
export const latestMigration = readMigrationFiles({ migrationsFolder }).at(-1)?.folderMillis ?? 0

/** Runs one write: an immediate transaction, so that what it reads first is still true when it writes. */
export function write<T>(database: Database, work: () => T): T {
  return transaction(database).immediate(work) as T
}

const transaction = prepareOnce((database) => database.$client.transaction((work: () => unknown) => work()))
