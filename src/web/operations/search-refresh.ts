import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { withoutWaiting, write } from '../../database/open.ts'
import { hasStaleSearchTexts, mergeSearchIndexes, refreshSearchTexts } from '../../database/search-index.ts'

const batch = 100
const pause = 10
const interval = 1000

/** After writes, refreshes the search texts that are stale and merges what was added to the indexes, a little at a time. */
export const searchRefreshPlugin = fp(async (app: FastifyInstance) => {
  const changes = app.db.$client.prepare('select total_changes()').pluck()
  let timer: NodeJS.Timeout | undefined
  let tended = changes.get()
  const tend = () => {
    const hasMore = [refreshBatch(app), changes.get() !== tended && mergeBatch(app)].includes(true)
    if (!hasMore) tended = changes.get()
    timer = setTimeout(tend, hasMore ? pause : interval).unref()
  }
  app.addHook('onReady', async () => tend())
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

function mergeBatch({ db, log }: FastifyInstance): boolean {
  try {
    return withoutWaiting(db, () => write(db, () => mergeSearchIndexes(db)))
  } catch (error) {
    log.error({ err: error }, 'search indexes could not be merged')
    return false
  }
}
