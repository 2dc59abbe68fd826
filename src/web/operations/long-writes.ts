import { EventEmitter } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'

/** So many records are written at once; of more, slices, so that others are served in between. */
export const firstSlice = 25

const largestSlice = 250
/** Milliseconds of processor time that a slice may take, and those left to others after it. */
const sliceTime = 12
const pauseTime = 8

const longestWait = 600_000

export interface Progress {
  done: number
  total: number
}

declare module 'fastify' {
  interface FastifyInstance {
    longWrites: LongWrites
  }
}

export const longWritesPlugin = fp(async (app: FastifyInstance) => {
  app.decorate('longWrites', new LongWrites())
})

/** What takes many transactions runs one after another, so that no two of them meet half-done records of each other. */
class LongWrites extends EventEmitter<{ progress: [userId: number, progress: Progress] }> {
  private last: Promise<unknown> = Promise.resolve()
  /** Runs it at once when it fits into one transaction. */
  run<T>({ socket }: FastifyRequest, isLong: boolean, work: () => Promise<T>): Promise<T> {
    if (!isLong) return work()
    // Nothing is heard from whoever waits; a connection that is silent for a minute is cut off otherwise.
    socket.setTimeout?.(longestWait)
    const result = this.last.then(work)
    this.last = result.catch(() => {})
    return result
  }

  /** Tells the person meanwhile how far their work is. */
  inSlices<T>(userId: number, items: readonly T[], work: (slice: T[], isLast: boolean) => void): Promise<void> {
    return inSlices(items, (slice, isLast, done) => {
      work(slice, isLast)
      if (!isLast) this.emit('progress', userId, { done, total: items.length })
    })
  }
}

/** Works on a few items at a time, on as many as take a moment. The first slice comes before anybody else is served. */
export async function inSlices<T>(items: readonly T[], work: (slice: T[], isLast: boolean, done: number) => void): Promise<void> {
  let size = firstSlice
  for (let at = 0; at < items.length; ) {
    const before = process.cpuUsage()
    const slice = items.slice(at, at + size)
    at += slice.length
    work(slice, at === items.length, at)
    size = Math.max(1, Math.min(2 * size, largestSlice, Math.round((size * sliceTime) / processorTime(before))))
    if (at < items.length) await pause(pauseTime)
  }
}

/** By the clock, a busy machine would make slices of single records. */
function processorTime(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before)
  return Math.max(user + system, 1) / 1000
}
