import { EventEmitter } from 'node:events'
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { type Database, withoutWaiting } from '../../database/open.ts'
import { oneAtATime } from './one-at-a-time.ts'

/** More records are written in slices, so that other requests are served in between. */
export const firstSlice = 25

/** Up to so many records are deleted or restored in one transaction. */
export const bulkLimit = 250

const largestSlice = 250
/** Milliseconds of processor time for a slice, and of the pause after it. */
const sliceTime = 9
const pauseTime = 6

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
  app.decorate('longWrites', new LongWrites(app.db))
})

/** The connection is silent while the client waits for a long write, and would be cut off after a minute. */
export function keepConnection({ socket }: FastifyRequest): void {
  socket.setTimeout?.(longestWait)
}

/** Long writes run one after another, so that none meets half-done records of another. */
class LongWrites extends EventEmitter<{ progress: [userId: number, progress: Progress] }> {
  private readonly db: Database
  private readonly inTurn = oneAtATime()

  constructor(db: Database) {
    super()
    this.db = db
  }

  run<T>(isLong: boolean, work: () => Promise<T>): Promise<T> {
    return isLong ? this.inTurn(() => nextTurn().then(work)) : work()
  }

  /** Only the last slice waits for the disk: without it, the others are undone. */
  inSlices<T>(userId: number, items: readonly T[], work: (slice: T[], isLast: boolean) => void): Promise<void> {
    return inSlices(items, (slice, isLast, done) => {
      if (isLast) return work(slice, isLast)
      withoutWaiting(this.db, () => work(slice, isLast))
      this.emit('progress', userId, { done, total: items.length })
    })
  }
}

/** Processes items in short slices; the first one runs before other requests are served. */
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
