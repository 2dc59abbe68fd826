import type { SQL } from 'drizzle-orm'
import { SQLiteSyncDialect } from 'drizzle-orm/sqlite-core'
import type { Database } from './open.ts'
import { keepingStatements } from './statements.ts'

/**
 * The rows of a query as arrays, as `db.values` gives them; the words of a query that is asked again are not put together again.
 * @param end what follows these words, with its own values
 */
export function valuesOf<Row extends unknown[]>(db: Database, query: SQL, end = '', values: unknown[] = []): Row[] {
  const { sql: text, params } = wordsOf(query)
  return keepingStatements(db.$client)
    .prepare(text + end)
    .raw()
    .all(...params, ...values) as Row[]
}

const dialect = new SQLiteSyncDialect()
const known = new WeakMap<SQL, ReturnType<typeof dialect.sqlToQuery>>()

function wordsOf(query: SQL) {
  const words = known.get(query)
  if (words) return words
  const put = dialect.sqlToQuery(query)
  known.set(query, put)
  return put
}
