import type { SQL } from 'drizzle-orm'
import { SQLiteSyncDialect } from 'drizzle-orm/sqlite-core'
import type { Database } from './open.ts'
import { keepingStatements } from './statements.ts'

/**
 * The rows of a query as arrays, as `db.values` gives them; the words of a query that is asked again are not put together again.
 * @param end what follows these words, with its own values
 */
export function valuesOf<Row extends unknown[]>(db: Database, query: SQL, end = '', values: unknown[] = []): Row[] {
  const { text, params } = wordsOf(query, end)
  return keepingStatements(db.$client)
    .prepare(text)
    .raw()
    .all(...params, ...values) as Row[]
}

const dialect = new SQLiteSyncDialect()
const known = new WeakMap<SQL, { text: string; end: string; params: unknown[] }>()

function wordsOf(query: SQL, end: string) {
  const asked = known.get(query)
  if (asked?.end === end) return asked
  const { sql, params } = dialect.sqlToQuery(query)
  const words = { text: sql + end, end, params }
  known.set(query, words)
  return words
}
