import { and, count, eq, gt, lt, sql } from 'drizzle-orm'
import type { SecurityEventName } from '../core/labels.ts'
import { fullName } from '../core/text.ts'
import type { Database } from './open.ts'
import { prepareOnce } from './prepare-once.ts'
import type { Author } from './records.ts'
import { securityEvents } from './schema/security-log.ts'

interface SecurityEvent {
  event: SecurityEventName
  author: Author
  user?: { id: number; lastname: string; name: string; middlename: string | null }
  detail?: string
}

/** In letters: what is longer is cut off. */
export const longestDetail = 255

const minute = 60_000
/** One day more than the triggers, which count in seconds. */
const retention = 366 * 24 * 60 * minute

export function logSecurityEvent(db: Database, { event, author, user, detail = '' }: SecurityEvent): void {
  const { id, name, impersonator, address = '', userAgent = '' } = author
  db.insert(securityEvents)
    .values({
      at: Date.now(),
      event,
      user_id: user?.id ?? id,
      user_name: user ? fullName(user) : name,
      actor_id: id,
      actor_name: name,
      impersonator_id: impersonator?.id ?? null,
      impersonator_name: impersonator?.name ?? null,
      address,
      user_agent: userAgent.slice(0, 255),
      detail: detail.slice(0, longestDetail),
    })
    .run()
}

const mostRepeated = 60

/** The same at most once a minute, and of one user at most sixty: nobody fills a log that nothing is deleted from. */
export function logRepeatedEvent(db: Database, entry: SecurityEvent): void {
  const { event, author, user, detail = '' } = entry
  const of = { event, since: Date.now() - minute, user: user?.id ?? author.id }
  const same = sameEvent(db).get({
    ...of,
    address: author.address ?? '',
    detail: detail.slice(0, longestDetail),
    impersonator: author.impersonator?.id ?? null,
  })
  if (!same && (eventsOf(db).get(of)?.events ?? 0) < mostRepeated) logSecurityEvent(db, entry)
}

const eventsOf = prepareOnce((db, params) => {
  const { event, at, user_id } = securityEvents
  const theirs = and(eq(event, sql.placeholder('event')), gt(at, params.since), sql`${user_id} is ${params.user}`)
  return db.select({ events: count() }).from(securityEvents).where(theirs).prepare()
})

const sameEvent = prepareOnce((db, params) => {
  const { id, event, at, address, detail, user_id, impersonator_id } = securityEvents
  const same = and(
    eq(event, sql.placeholder('event')),
    gt(at, params.since),
    eq(address, sql.placeholder('address')),
    eq(detail, sql.placeholder('detail')),
    sql`${user_id} is ${params.user}`,
    sql`${impersonator_id} is ${sql.placeholder('impersonator')}`,
  )
  return db.select({ id }).from(securityEvents).where(same).limit(1).prepare()
})

export function deleteOldSecurityEvents(db: Database): void {
  const old = lt(securityEvents.at, Date.now() - retention)
  db.delete(securityEvents).where(old).run()
}
