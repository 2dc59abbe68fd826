import { onceATurn } from '../core/once-a-turn.ts'
import type { Database } from './database.ts'
import { prepareOnce } from './prepare-once.ts'

/**
 * What `read` finds, kept until anything in the database changes, for a minute at most; what another process has changed is seen at the next
 * turn, and in a transaction at once.
 * @param key names what is read, with everything it depends on, such as the user's id
 */
export function cachedUntilWrite<T>(db: Database, key: string, read: () => T): T {
  const kept = memory(db)
  const foreignChanges = db.$client.inTransaction ? kept.foreignChanges() : kept.foreignChangesOfTurn()
  const state = `${kept.ownChanges.get()} ${foreignChanges} ${Math.floor(Date.now() / 60_000)}`
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

const memory = prepareOnce(({ $client: client }) => {
  const foreignVersion = client.prepare<[], number>('pragma data_version').pluck()
  const foreignChanges = () => foreignVersion.get()
  return {
    state: '',
    values: new Map<string, { value: unknown }>(),
    ownChanges: client.prepare<[], number>('select total_changes()').pluck(),
    foreignChanges,
    // SQLite looks into the file for it, which takes longer than most of what is kept.
    foreignChangesOfTurn: onceATurn(foreignChanges),
  }
})
