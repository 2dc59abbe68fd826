import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import Sqlite from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import type { Database } from './database.ts'
import { prepareOnce } from './prepare-once.ts'
import { addFunctions } from './reader.ts'
import * as schema from './schema/index.ts'

export type { Database } from './database.ts'

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
  compileWritesOnce(client)
  return Object.assign(drizzle(client, { schema }), { $client: client })
}

/** SQLite compiles a write with all triggers and foreign keys that it may touch, which takes longer than to carry it out. */
function compileWritesOnce(client: Sqlite.Database): void {
  const writes = new Map<string, Sqlite.Statement>()
  const prepare = client.prepare.bind(client)
  client.prepare = ((text: string) => {
    const known = writes.get(text)
    if (known) return known
    const statement = prepare(text)
    if (statement.reader) return statement
    if (writes.size === mostWrites) writes.clear()
    writes.set(text, statement)
    return statement
  }) as typeof client.prepare
}

const mostWrites = 200

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
