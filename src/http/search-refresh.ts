import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { type Database, withoutWaiting, write } from '../database/open.ts'
import { hasStaleSearchTexts, mergeSearchIndexes, refreshSearchTexts } from '../database/search-index.ts'

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

function refreshBatch(app: FastifyInstance): boolean {
  return attempt(app, 'search texts could not be refreshed', (db) => {
    if (!hasStaleSearchTexts(db)) return false
    write(db, () => refreshSearchTexts(db, batch))
    return true
  })
}

function mergeBatch(app: FastifyInstance): boolean {
  return attempt(app, 'search indexes could not be merged', (db) => withoutWaiting(db, () => write(db, () => mergeSearchIndexes(db))))
}

function attempt({ db, log }: FastifyInstance, failure: string, work: (db: Database) => boolean): boolean {
  try {
    return work(db)
  } catch (error) {
    log.error({ err: error }, failure)
    return false
  }
}
