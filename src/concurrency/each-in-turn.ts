import { setImmediate as yieldToLoop } from 'node:timers/promises'

/** In milliseconds. */
const longestTurn = 8

/** Looks at many, one by one; others are served in between. */
export async function eachInTurn<T>(items: Iterable<T>, look: (item: T) => void): Promise<void> {
  let began = performance.now()
  for (const item of items) {
    look(item)
    if (performance.now() - began < longestTurn) continue
    await yieldToLoop()
    began = performance.now()
  }
}
