import type Sqlite from 'better-sqlite3'

/** So many statements are kept: more than the program has, less than searches could make up. */
const most = 500

/**
 * What drizzle asks of a connection, statements of the same words being compiled once only: building a query anew for each
 * request then costs little.
 */
export function keepingStatements(client: Sqlite.Database): Sqlite.Database {
  const known = connections.get(client) ?? keeping(client)
  connections.set(client, known)
  return known
}

const connections = new WeakMap<Sqlite.Database, Sqlite.Database>()

function keeping(client: Sqlite.Database): Sqlite.Database {
  const known = new Map<string, Sqlite.Statement>()
  const prepare = (text: string) => {
    const statement = known.get(text) ?? steady(client.prepare(planned(text)))
    // The one that was used last stands last; the one that was not used for longest goes.
    known.delete(text)
    known.set(text, statement)
    if (known.size > most) known.delete(known.keys().next().value as string)
    return statement
  }
  return { prepare, transaction: client.transaction.bind(client) } as Sqlite.Database
}

/** SQLite plans a query anew for each run where a bare parameter says how many rows are wanted. */
function planned(text: string): string {
  return text.replace(/\b(limit|offset) \?/g, '$1 +?')
}

/** A statement remembers whether its rows are to be arrays; its users must not learn what others asked for. */
function steady(statement: Sqlite.Statement): Sqlite.Statement {
  if (!statement.reader) return statement
  let arrays = false
  const giving = (wanted: boolean) => {
    if (wanted !== arrays) statement.raw(wanted)
    arrays = wanted
    return statement
  }
  return {
    all: (...values: unknown[]) => giving(false).all(...values),
    get: (...values: unknown[]) => giving(false).get(...values),
    raw: () => giving(true),
  } as Sqlite.Statement
}
