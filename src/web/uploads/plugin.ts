import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { FileOwner } from './named.ts'
import { sweepUploads } from './sweep.ts'

const hour = 3600_000
const soon = 60_000

/** Knows who names files, and removes those that nobody names. */
export const uploadPlugin = fp(async (app: FastifyInstance) => {
  app.decorate('fileOwners', [] as FileOwner[])
  const closing = new AbortController()
  let running = Promise.resolve()
  const sweep = () => {
    running = running
      .then(() => sweepUploads(app, closing.signal))
      .catch((error) => app.log.error({ err: error }, 'unused files could not be removed'))
  }
  let timers: NodeJS.Timeout[] = []
  app.addHook('onReady', async () => {
    timers = [setTimeout(sweep, soon).unref(), setInterval(sweep, hour).unref()]
  })
  app.addHook('onClose', async () => {
    closing.abort()
    timers.forEach(clearTimeout)
    await running
  })
})
