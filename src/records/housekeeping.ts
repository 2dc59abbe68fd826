import { setTimeout as pause } from 'node:timers/promises'
import { and, inArray, isNotNull, isNull, lt, or } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import {
  apiTokens,
  deleteOldSecurityEvents,
  findSettings,
  importRows,
  imports,
  jobs,
  notifications,
  orderDrafts,
  pendingSubmissions,
  recordViews,
  sessions,
  submissions,
  trash,
  webhookMessages,
} from '../database/index.ts'
import { deleteUnrestorableCredentials } from '../database/trashed-credentials.ts'
import { deleteOldHits } from '../http/access/rate-limit.ts'
import { expiryThresholds, gracePeriod } from '../http/access/session-expiry.ts'
import { pendingSince } from '../http/submissions/pending-submissions.ts'
import { hourly } from './jobs/hourly.ts'
import { sweepUploads } from './sweep-uploads.ts'

const day = 24 * 3600_000

export const trashDays = 30

/** How long a message to webhooks is kept, and waits where nobody accepts it. */
const messageDays = 30

/** How long it is kept who opened which record. */
const viewDays = 90

/** A draft of an order is kept for 31 days after it was last opened. */
export const draftsOpenedSince = () => Date.now() - 31 * day

export const restorableSince = () => Date.now() - trashDays * day

export const housekeepingPlugin = fp(async ({ registry }: FastifyInstance) => {
  registry.jobKinds.set('clean-up', hourly(cleanUp)).set('sweep-files', hourly(sweepUploads))
})

async function cleanUp(app: FastifyInstance, signal: AbortSignal): Promise<void> {
  await deleteUnneededRows(app, signal)
  deleteExpiredRows(app)
}

const expiredImports = () =>
  or(lt(imports.created_at, restorableSince()), and(isNull(imports.saved_at), lt(imports.created_at, Date.now() - day)))

/** The rows of imports that are saved or expired: a few at a time, as there may be very many. */
async function deleteUnneededRows({ db }: FastifyInstance, signal: AbortSignal): Promise<void> {
  const unneeded = db
    .select({ id: imports.id })
    .from(imports)
    .where(or(isNotNull(imports.saved_at), expiredImports()))
  const some = db.select({ id: importRows.id }).from(importRows).where(inArray(importRows.import_id, unneeded)).limit(20)
  while (!signal.aborted && db.delete(importRows).where(inArray(importRows.id, some)).run().changes > 0) await pause(20)
}

/**
 * Deletes old sessions, idempotency keys after a day, expired pending submissions, imports that were not saved within a day or can no
 * longer be undone, drafts that nobody opens, tokens that ended a month ago, jobs that ended a month ago, old records of the trash, notifications read half a year
 * ago, messages to webhooks of last month, and who opened which record three months ago, or ever where that is not kept any more.
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
  db.delete(recordViews)
    .where(findSettings(db).keeps_views ? lt(recordViews.at, Date.now() - viewDays * day) : undefined)
    .run()
}
