import type { Statement } from 'better-sqlite3'
import type { Query, SQL } from 'drizzle-orm'
import { SQLiteSyncDialect } from 'drizzle-orm/sqlite-core'
import type { Database } from './open.ts'
import { prepared } from './prepared.ts'

/** So many queries are kept prepared: more than the lists have, less than searches could make up. */
const most = 300

const statements = prepared(() => new Map<string, Statement>())
const dialect = new SQLiteSyncDialect()

/** The rows of a query as arrays of values. Queries that differ in their parameters only are prepared once. */
export function valuesOf<T extends unknown[]>(db: Database, query: SQL): T[] {
  const { sql: text, params } = dialect.sqlToQuery(query)
  return statementOf(db, text).all(...params) as T[]
}

/** Runs a statement that changes something; the same rule holds. */
export function runQuery(db: Database, query: { toSQL(): Query }): void {
  const { sql: text, params } = query.toSQL()
  statementOf(db, text).run(...params)
}

/** The first value of the first row; null when there is none. */
export function firstValue<T>(db: Database, query: SQL): T | null {
  return valuesOf<[T | null]>(db, query)[0]?.[0] ?? null
}

function statementOf(db: Database, text: string): Statement {
  const known = statements(db)
  const statement = known.get(text) ?? prepare(db, text)
  // The one that was used last stands last; the one that was not used for longest goes.
  known.delete(text)
  known.set(text, statement)
  const [oldest] = known.keys()
  if (known.size > most && oldest) known.delete(oldest)
  return statement
}

function prepare({ $client }: Database, text: string): Statement {
  const statement = $client.prepare(text)
  return statement.reader ? statement.raw() : statement
}
