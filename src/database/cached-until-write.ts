import type { Database } from './database.ts'
import { prepareOnce } from './prepare-once.ts'

/**
 * What `read` finds, kept until anything in the database changes, be it through another process, for a minute at most.
 * @param key names what is read, with everything it depends on, such as the user's id
 */
export function cachedUntilWrite<T>(db: Database, key: string, read: () => T): T {
  const kept = memory(db)
  const state = `${kept.ownChanges.get()} ${kept.foreignChanges.get()} ${Math.floor(Date.now() / 60_000)}`
  if (state !== kept.state || kept.values.size > limit) {
    // What a transaction has written may yet be taken back.
    if (db.$client.inTransaction) return read()
    kept.state = state
    kept.values.clear()
  }
  const known = kept.values.get(key) as { value: T } | undefined
  if (known) return known.value
  const value = read()
  kept.values.set(key, { value })
  return value
}

const limit = 10_000

const memory = prepareOnce(({ $client: client }) => ({
  state: '',
  values: new Map<string, { value: unknown }>(),
  ownChanges: client.prepare<[], number>('select total_changes()').pluck(),
  foreignChanges: client.prepare<[], number>('pragma data_version').pluck(),
}))
