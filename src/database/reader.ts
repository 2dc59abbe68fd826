import Sqlite from 'better-sqlite3'
import { cityOf } from '../core/city.ts'
import { fold } from '../core/text.ts'
import { describeUserAgent } from '../core/user-agent.ts'

/** A connection that only reads: what it reads for long does not hold up the writes of others. */
export function openReader(file: string): Sqlite.Database {
  const client = new Sqlite(file, { readonly: true })
  client.pragma('temp_store = MEMORY')
  addFunctions(client)
  return client
}

/** Every connection that reads the lists of the application needs its SQL functions. */
export function addFunctions(client: Sqlite.Database): void {
  client.function('fold', { deterministic: true }, (text: unknown) => fold(String(text ?? '')))
  client.function('city', { deterministic: true }, (address: unknown) => cityOf(String(address ?? '')))
  client.function('browser', { deterministic: true }, (userAgent: unknown) => describeUserAgent(String(userAgent ?? '')))
}
