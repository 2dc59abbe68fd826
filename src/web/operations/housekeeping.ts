import { and, isNull, lt, or } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { deleteOldSecurityEvents, imports, notifications, pendingSubmissions, sessions, submissions, trash } from '../../database/index.ts'
import { deleteKeptForNothing } from '../../database/kept-rows.ts'
import { deleteOldHits } from '../access/rate-limit.ts'
import { expiryThresholds, gracePeriod } from '../access/session-expiry.ts'
import { pendingSince } from '../submissions/pending-submissions.ts'
import { sweepUploads } from '../uploads/sweep.ts'

const hour = 3600_000
const firstRunDelay = 60_000
const day = 24 * hour

export const trashDays = 30

export const restorableSince = () => Date.now() - trashDays * day

export const housekeepingPlugin = fp(async (app: FastifyInstance) => {
  const closing = new AbortController()
  let running = Promise.resolve()
  const sweep = () => {
    running = running.then(() => cleanUp(app, closing.signal)).catch((error) => app.log.error({ err: error }, 'housekeeping failed'))
  }
  let timers: NodeJS.Timeout[] = []
  app.addHook('onReady', async () => {
    timers = [setTimeout(sweep, firstRunDelay).unref(), setInterval(sweep, hour).unref()]
  })
  app.addHook('onClose', async () => {
    closing.abort()
    timers.forEach(clearTimeout)
    await running
  })
})

async function cleanUp(app: FastifyInstance, closing: AbortSignal): Promise<void> {
  deleteExpiredRows(app)
  await sweepUploads(app, closing)
}

/**
 * Deletes old sessions, idempotency keys after a day, expired pending submissions, imports that were not saved within a day or can no
 * longer be undone, old records of the trash, and notifications read half a year ago.
 */
export function deleteExpiredRows({ db }: FastifyInstance): void {
  const { seen, created } = expiryThresholds(Date.now() - gracePeriod)
  const ended = or(lt(sessions.seen_at, seen), lt(sessions.created_at, created))
  db.delete(sessions).where(ended).run()
  deleteOldHits(db, Date.now() - 8 * day)
  const forgotten = lt(submissions.at, Date.now() - day)
  db.delete(submissions).where(forgotten).run()
  db.delete(pendingSubmissions).where(lt(pendingSubmissions.at, pendingSince())).run()
  db.delete(imports)
    .where(or(lt(imports.created_at, restorableSince()), and(isNull(imports.saved_at), lt(imports.created_at, Date.now() - day))))
    .run()
  db.delete(trash).where(lt(trash.at, restorableSince())).run()
  deleteKeptForNothing(db)
  const readLongAgo = lt(notifications.read_at, Date.now() - 180 * day)
  db.delete(notifications).where(readLongAgo).run()
  deleteOldSecurityEvents(db)
}
