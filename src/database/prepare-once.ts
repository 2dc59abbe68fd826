import type Sqlite from 'better-sqlite3'
import { type Placeholder, placeholder, type SQL } from 'drizzle-orm'
import { SQLiteSyncDialect } from 'drizzle-orm/sqlite-core'
import type { Database } from './database.ts'

const names = [
  'company',
  'day',
  'dealer',
  'email',
  'entity',
  'id',
  'ids',
  'internal',
  'key',
  'kind',
  'limit',
  'manager',
  'offset',
  'order',
  'payment',
  'since',
  'until',
  'user',
] as const

type ParameterName = (typeof names)[number]

/** What a prepared query is given when it is run, by name. */
const params = Object.fromEntries(names.map((name) => [name, placeholder(name)])) as Record<ParameterName, Placeholder>

export function prepareOnce<T>(prepare: (db: Database, params: Record<ParameterName, Placeholder>) => T): (db: Database) => T {
  const made = new WeakMap<Database, { statement: T }>()
  return (db) => {
    const known = made.get(db) ?? { statement: prepare(db, params) }
    made.set(db, known)
    return known.statement
  }
}

export function prepareText(db: Database, text: string): Sqlite.Statement {
  const prepared = statements(db)
  const known = prepared.get(text)
  if (known) return known
  if (prepared.size === mostTexts) prepared.clear()
  const statement = db.$client.prepare(text)
  prepared.set(text, statement)
  return statement
}

const mostTexts = 500

/**
 * The rows of a query that is put together for each request, but mostly from the same parts. SQLite compiles a statement anew for
 * another value of `limit ?`, not of `limit +?`.
 */
export function selectRows<Row extends unknown[]>(db: Database, query: SQL): Row[] {
  const { sql, params } = dialect.sqlToQuery(query)
  return prepareText(db, sql)
    .raw()
    .all(...params) as Row[]
}

export const dialect = new SQLiteSyncDialect()

const statements = prepareOnce(() => new Map<string, Sqlite.Statement>())
