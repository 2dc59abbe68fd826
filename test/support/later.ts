import { setTimeout as pause } from 'node:timers/promises'

/** Does something as if it were so many milliseconds later. */
export async function later<T>(milliseconds: number, work: () => T | Promise<T>): Promise<T> {
  const { now } = Date
  Date.now = () => now() + milliseconds
  try {
    return await work()
  } finally {
    Date.now = now
  }
}

/** Waits until what works in the background has got this far. */
export async function until(holds: () => boolean): Promise<void> {
  for (let left = 1000; !holds() && left > 0; left--) await pause(10)
}
