import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { bestEffort, write } from '../../database/index.ts'
import { type AwaitedKind, addServiceJob } from './job.ts'

const hour = 3600_000
const firstRunDelay = 60_000

/** A job that the service adds every hour; it does its work in small pieces, and no more once it is aborted. */
export function hourly(work: (app: FastifyInstance, signal: AbortSignal) => Promise<void>): AwaitedKind<unknown> {
  return {
    hourly: true,
    async work(app, _job, signal) {
      await work(app, signal)
      signal.throwIfAborted()
      return () => undefined
    },
  }
}

export const hourlyJobsPlugin = fp(async (app: FastifyInstance) => {
  const add = () => bestEffort(() => addHourlyJobs(app))
  let timers: NodeJS.Timeout[] = []
  app.addHook('onReady', async () => {
    timers = [setTimeout(add, firstRunDelay).unref(), setInterval(add, hour).unref()]
  })
  app.addHook('onClose', async () => timers.forEach(clearTimeout))
})

/** One that has not ended since is not added again. */
export function addHourlyJobs(app: FastifyInstance): void {
  write(app.db, () => {
    for (const [kind, { hourly }] of app.registry.jobKinds) if (hourly) addServiceJob(app, { kind })
  })
}
