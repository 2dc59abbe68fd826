const idleLimit = 12 * 3600_000
export const absoluteLimit = 7 * 24 * 3600_000
/** The browser of an expired session is still remembered, so that a form it submits can be saved for its sender. */
export const gracePeriod = 7 * 24 * 3600_000

export function expiryThresholds(at = Date.now()): { seen: number; created: number } {
  return { seen: at - idleLimit, created: at - absoluteLimit }
}
