import Sqlite from 'better-sqlite3'
import { addFunctions } from './functions.ts'

/** A connection that only reads: what it reads for long does not hold up the writes of others. */
export function openReader(file: string): Sqlite.Database {
  const client = new Sqlite(file, { readonly: true })
  client.pragma('temp_store = MEMORY')
  addFunctions(client)
  return client
}
