import type { SQL } from 'drizzle-orm'
import { SQLiteSyncDialect } from 'drizzle-orm/sqlite-core'
import type { Database } from './open.ts'
import { keepingStatements } from './statements.ts'

/**
 * The rows of a query as arrays, as `db.values` gives them; the words of a query that is asked again are not put together again.
 * @param end what follows these words, with its own values
 */
export function selectRows<Row extends unknown[]>(db: Database, query: SQL, end = '', values: unknown[] = []): Row[] {
  const { text, params } = compileQuery(query, end)
  return keepingStatements(db.$client)
    .prepare(text)
    .raw()
    .all(...params, ...values) as Row[]
}

const dialect = new SQLiteSyncDialect()
const compiledQueries = new WeakMap<SQL, { text: string; end: string; params: unknown[] }>()

function compileQuery(query: SQL, end: string) {
  const cached = compiledQueries.get(query)
  if (cached?.end === end) return cached
  const { sql, params } = dialect.sqlToQuery(query)
  const compiled = { text: sql + end, end, params }
  compiledQueries.set(query, compiled)
  return compiled
}
