import type Sqlite from 'better-sqlite3'
import { fold } from '../core/text.ts'

/** Every connection that reads the lists of the application needs its SQL functions. */
export function addFunctions(client: Sqlite.Database): void {
  client.function('fold', { deterministic: true }, (text: unknown) => fold(String(text ?? '')))
}
