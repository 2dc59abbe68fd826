import { and, gt } from 'drizzle-orm'
import { sessions } from '../../database/index.ts'

const idleLimit = 12 * 3600_000
export const absoluteLimit = 7 * 24 * 3600_000
/** The browser of an expired session is still remembered, so that a form it submits can be saved for its sender. */
export const gracePeriod = 7 * 24 * 3600_000
/** That of a session that was ended elsewhere is remembered for less, as it may be a thief's. */
const endedGracePeriod = 24 * 3600_000

export function isExpired(session: { created_at: number; seen_at: number }): boolean {
  const { seen, created } = expiryThresholds()
  return session.seen_at < seen || session.created_at < created
}

export function expiryThresholds(at = Date.now()): { seen: number; created: number } {
  return { seen: at - idleLimit, created: at - absoluteLimit }
}

/** The condition of sessions that have neither expired nor been ended. */
export function areLive(at = Date.now()) {
  const { seen, created } = expiryThresholds(at)
  return and(gt(sessions.seen_at, seen), gt(sessions.created_at, created))
}

/** The `seen_at` of a session that is ended: it has expired, so that what its person is typing there can be saved for them. */
export function seenAtOfEnded(at = Date.now()): number {
  return expiryThresholds(at - gracePeriod + endedGracePeriod).seen
}
