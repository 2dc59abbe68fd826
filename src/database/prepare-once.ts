import type { Database } from './database.ts'

export function prepareOnce<T>(prepare: (db: Database) => T): (db: Database) => T {
  const made = new WeakMap<Database, { statement: T }>()
  return (db) => {
    const known = made.get(db) ?? { statement: prepare(db) }
    made.set(db, known)
    return known.statement
  }
}
