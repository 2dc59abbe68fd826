import { setTimeout as pause } from 'node:timers/promises'
import { and, inArray, isNotNull, isNull, lt, or } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import {
  apiTokens,
  deleteOldSecurityEvents,
  importRows,
  imports,
  jobs,
  notifications,
  orderDrafts,
  pendingSubmissions,
  sessions,
  submissions,
  trash,
  webhookMessages,
} from '../database/index.ts'
import { deleteUnrestorableCredentials } from '../database/trashed-credentials.ts'
import { deleteOldHits } from '../http/access/rate-limit.ts'
import { expiryThresholds, gracePeriod } from '../http/access/session-expiry.ts'
import { pendingSince } from '../http/submissions/pending-submissions.ts'
import { sweepUploads } from './sweep-uploads.ts'

const hour = 3600_000
const firstRunDelay = 60_000
const day = 24 * hour

export const trashDays = 30

/** How long a message to webhooks is kept, and waits where nobody accepts it. */
const messageDays = 30

/** A draft of an order is kept for 31 days after it was last opened. */
export const draftsOpenedSince = () => Date.now() - 31 * day

export const restorableSince = () => Date.now() - trashDays * day

/** What a module does from time to time: in small pieces, and no more once it is aborted. */
type Sweep = (app: FastifyInstance, closing: AbortSignal) => Promise<void>

declare module 'fastify' {
  interface FastifyInstance {
    sweeps: Sweep[]
  }
}

export const housekeepingPlugin = fp(async (app: FastifyInstance) => {
  app.decorate('sweeps', [])
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
  await deleteUnneededRows(app, closing)
  deleteExpiredRows(app)
  await sweepUploads(app, closing)
  for (const sweep of app.sweeps) await sweep(app, closing)
}

const expiredImports = () =>
  or(lt(imports.created_at, restorableSince()), and(isNull(imports.saved_at), lt(imports.created_at, Date.now() - day)))

/** The rows of imports that are saved or expired: a few at a time, as there may be very many. */
async function deleteUnneededRows({ db }: FastifyInstance, closing: AbortSignal): Promise<void> {
  const unneeded = db
    .select({ id: imports.id })
    .from(imports)
    .where(or(isNotNull(imports.saved_at), expiredImports()))
  const some = db.select({ id: importRows.id }).from(importRows).where(inArray(importRows.import_id, unneeded)).limit(20)
  while (!closing.aborted && db.delete(importRows).where(inArray(importRows.id, some)).run().changes > 0) await pause(20)
}

/**
 * Deletes old sessions, idempotency keys after a day, expired pending submissions, imports that were not saved within a day or can no
 * longer be undone, drafts that nobody opens, tokens that ended a month ago, jobs that ended a month ago, old records of the trash, notifications read half a year
 * ago, and messages to webhooks of last month.
 */
export function deleteExpiredRows({ db }: FastifyInstance): void {
  const { seen, created } = expiryThresholds(Date.now() - gracePeriod)
  const ended = or(lt(sessions.seen_at, seen), lt(sessions.created_at, created))
  db.delete(sessions).where(ended).run()
  deleteOldHits(db, Date.now() - 8 * day)
  const forgotten = lt(submissions.at, Date.now() - day)
  db.delete(submissions).where(forgotten).run()
  db.delete(pendingSubmissions).where(lt(pendingSubmissions.at, pendingSince())).run()
  db.delete(imports).where(expiredImports()).run()
  db.delete(orderDrafts)
    .where(or(lt(orderDrafts.opened_at, draftsOpenedSince()), lt(orderDrafts.deleted_at, Date.now() - day)))
    .run()
  db.delete(apiTokens)
    .where(or(lt(apiTokens.revoked_at, restorableSince()), lt(apiTokens.expires_at, restorableSince())))
    .run()
  db.delete(jobs).where(lt(jobs.ended_at, restorableSince())).run()
  db.delete(trash).where(lt(trash.at, restorableSince())).run()
  deleteUnrestorableCredentials(db)
  const readLongAgo = lt(notifications.read_at, Date.now() - 180 * day)
  db.delete(notifications).where(readLongAgo).run()
  db.delete(webhookMessages)
    .where(lt(webhookMessages.at, Date.now() - messageDays * day))
    .run()
  deleteOldSecurityEvents(db)
}
