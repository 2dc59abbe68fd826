import type Sqlite from 'better-sqlite3'
import type { Database } from './database.ts'

export function prepareOnce<T>(prepare: (db: Database) => T): (db: Database) => T {
  const made = new WeakMap<Database, { statement: T }>()
  return (db) => {
    const known = made.get(db) ?? { statement: prepare(db) }
    made.set(db, known)
    return known.statement
  }
}

/** A statement that is prepared once for each text; use it for texts of which there are few. */
export function prepareText(db: Database, text: string): Sqlite.Statement {
  const known = statements(db).get(text) ?? db.$client.prepare(text)
  statements(db).set(text, known)
  return known
}

const statements = prepareOnce(() => new Map<string, Sqlite.Statement>())
