import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { write } from '../../database/open.ts'
import { hasStaleSearchTexts, refreshSearchTexts } from '../../database/search-index.ts'

const batch = 100
/** Milliseconds between batches, so that other requests are served. */
const pause = 10
const interval = 1000

export const searchRefreshPlugin = fp(async (app: FastifyInstance) => {
  let timer: NodeJS.Timeout | undefined
  const refresh = () => {
    timer = setTimeout(refresh, refreshBatch(app) ? pause : interval).unref()
  }
  app.addHook('onReady', async () => refresh())
  app.addHook('onClose', async () => clearTimeout(timer))
})

function refreshBatch({ db, log }: FastifyInstance): boolean {
  try {
    if (!hasStaleSearchTexts(db)) return false
    write(db, () => refreshSearchTexts(db, batch))
    return true
  } catch (error) {
    log.error({ err: error }, 'search texts could not be refreshed')
    return false
  }
}
