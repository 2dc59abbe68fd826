const firstDelay = 5_000
const longestDelay = 6 * 3600_000

/** So often something is tried that is sent to others: for a little more than three days. */
export const sendingAttempts = 25

/** When to try again what has failed so often; undefined when that was often enough. */
export function retryAt(failed: number, attempts: number, now = Date.now()): number | undefined {
  return failed < attempts ? now + Math.min(firstDelay * 2 ** (failed - 1), longestDelay) : undefined
}
