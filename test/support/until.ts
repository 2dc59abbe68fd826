import { setTimeout as pause } from 'node:timers/promises'

/** Waits until something that goes on by itself has got this far. */
export async function until(holds: () => boolean): Promise<void> {
  for (let left = 1000; !holds() && left > 0; left--) await pause(10)
}
