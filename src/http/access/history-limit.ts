import { gt, max, sql } from 'drizzle-orm'
import { changes, type Database, prepareOnce } from '../../database/index.ts'
import type { Context } from '../request/context.ts'
import { LimitReached } from './rate-limit.ts'

const [most, window] = [100 * 1024 ** 2, 3600_000]

/** By person: what they have written within an hour, in bytes. */
const written = prepareOnce(() => new Map<number, { since: number; bytes: number }>())

/**
 * Performs what writes to the change history, from which nothing is deleted. Call it inside `write`.
 * @throws LimitReached once this person, whoever they act as, has filled so much of it within an hour
 */
export function withinHistoryLimit<T>({ server: { db }, actor }: Context, perform: () => T): T {
  const person = actor.impersonator?.id ?? actor.id
  const now = Date.now()
  const known = written(db).get(person)
  const current = known && known.since > now - window ? known : { since: now, bytes: 0 }
  if (current.bytes >= most) throw tooMuch(current.since + window - now)
  const before = entries(db).newest.get()?.id ?? 0
  const done = perform()
  const { bytes } = entries(db).later.get({ id: before }) ?? {}
  written(db).set(person, { ...current, bytes: current.bytes + (bytes ?? 0) })
  return done
}

const tooMuch = (wait: number) =>
  new LimitReached(Math.ceil(wait / 1000), 'Your changes of the last hour fill {max} MB. Try again after {time}.', {
    max: most / 1024 ** 2,
  })

const entries = prepareOnce((db: Database, params) => ({
  newest: db
    .select({ id: max(changes.id) })
    .from(changes)
    .prepare(),
  // Of what is long only its length is read.
  later: db
    .select({ bytes: sql<number | null>`sum(octet_length(${changes.fields}))` })
    .from(changes)
    .where(gt(changes.id, params.id))
    .prepare(),
}))
