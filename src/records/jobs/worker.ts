import { and, asc, eq, lte, min } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { type Database, isOpenJob, jobs, notifications, users, write } from '../../database/index.ts'
import { storageUnavailableReason } from '../../database/storage-unavailable.ts'
import { contextFor } from '../../http/access/context-for.ts'
import { HttpError } from '../../http/request/errors.ts'
import { bulkLimit, type Job, type StoredJob } from './job.ts'

/** Milliseconds of processor time for a part, and of the pause after it, in which others are served. */
const partTime = 20
const partPause = 10
const firstSize = 25

const maxAttempts = 5
const firstDelay = 10_000
const longestSleep = 3600_000
const namedInReport = 1000

export const jobsPlugin = fp(async (app: FastifyInstance) => {
  const perform = partPerformer(app)
  let timer: NodeJS.Timeout | undefined
  const rest = (milliseconds: number) => {
    clearTimeout(timer)
    timer = setTimeout(() => rest(attempt(app, perform)), milliseconds).unref()
  }
  app.decorate('jobKinds', new Map())
  app.decorate('wakeWorker', () => rest(0))
  app.addHook('onReady', async () => rest(0))
  app.addHook('onClose', async () => clearTimeout(timer))
})

/** Where even that it failed cannot be noted, such as on a full disk, everything is tried again later. */
function attempt({ log, db }: FastifyInstance, perform: () => number): number {
  try {
    return db.$client.open ? perform() : longestSleep
  } catch (error) {
    log.error({ err: error }, 'jobs could not be carried out')
    return firstDelay
  }
}

/** Returns what performs the next part and says how many milliseconds the worker may rest then. */
function partPerformer(app: FastifyInstance): () => number {
  /** By kind: how many records take the time of a part. */
  const sizes = new Map<string, number>()
  return () => {
    const job = nextJob(app.db)
    if (!job) return untilNext(app.db)
    const size = sizes.get(job.kind) ?? firstSize
    const before = process.cpuUsage()
    try {
      write(app.db, () => performPart(app, job, size))
      sizes.set(job.kind, Math.max(1, Math.min(2 * size, bulkLimit, Math.round((size * partTime) / processorTime(before)))))
    } catch (error) {
      return noteFailure(app, job, error)
    }
    return partPause
  }
}

/** By the clock, a busy machine would make parts of single records. */
function processorTime(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before)
  return Math.max(user + system, 1) / 1000
}

/** The one that has waited longest, so that none holds up another. */
function nextJob(db: Database): Job | undefined {
  const due = and(isOpenJob, lte(jobs.due_at, Date.now()))
  return db.select().from(jobs).where(due).orderBy(asc(jobs.claimed_at), asc(jobs.id)).limit(1).get()
}

function untilNext(db: Database): number {
  const next = db
    .select({ at: min(jobs.due_at) })
    .from(jobs)
    .where(isOpenJob)
    .get()?.at
  return next == null ? longestSleep : Math.min(Math.max(next - Date.now(), partPause), longestSleep)
}

function performPart(app: FastifyInstance, job: Job, size: number): void {
  const kind = app.jobKinds.get(job.kind)
  if (!kind) throw new HttpError(422, 'This version no longer knows such jobs.')
  const { done, skipped = [] } = kind.perform(contextFor(app, job.author, job.authenticated_at), job, size)
  const values = {
    state: 'running' as const,
    done: job.done + done,
    skipped: job.skipped + skipped.length,
    claimed_at: Date.now(),
    ...(skipped.length > 0 && { report: [...job.report, ...skipped].slice(0, namedInReport) }),
  }
  app.db.update(jobs).set(values).where(eq(jobs.id, job.id)).run()
  if (values.done >= job.total) endJob(app, { ...job, ...values }, 'done', null)
}

/** What is wrong with a request stays wrong, anything else is tried again for a while. */
function noteFailure(app: FastifyInstance, job: Job, error: unknown): number {
  const attempts = job.attempts + 1
  const ends = error instanceof HttpError || attempts >= maxAttempts
  app.log.error({ err: error, job: job.id }, ends ? 'a job has failed' : 'a part of a job waits for another attempt')
  write(app.db, () => {
    const values = { attempts, due_at: Date.now() + firstDelay * 2 ** job.attempts, claimed_at: Date.now(), problem: problemOf(error) }
    app.db.update(jobs).set(values).where(eq(jobs.id, job.id)).run()
    if (ends) endJob(app, job, 'failed', problemOf(error))
  })
  return partPause
}

const storageProblems = { busy: 'The database was busy.', full: 'The server is out of storage.' }

function problemOf(error: unknown): NonNullable<StoredJob['problem']> {
  if (error instanceof HttpError) return [error.message, error.params]
  const storageProblem = storageUnavailableReason(error)
  return storageProblem
    ? [storageProblems[storageProblem]]
    : ['Something went wrong on our end: {reason}', { reason: String((error as Error).message) }]
}

/** Ends a job, and tells whoever has started it. Call it inside `write`. */
export function endJob(app: FastifyInstance, job: Job, state: 'done' | 'failed' | 'stopped', problem: StoredJob['problem']): void {
  const { db, jobKinds, notificationEvents } = app
  jobKinds.get(job.kind)?.end?.(app, job)
  const ended_at = Date.now()
  db.update(jobs).set({ state, problem, ended_at }).where(eq(jobs.id, job.id)).run()
  const isThere = db.select({ id: users.id }).from(users).where(eq(users.id, job.user_id)).get()
  if (!isThere) return
  const event = `job-${state}` as const
  db.insert(notifications).values({ user_id: job.user_id, job_id: job.id, event, status_name: '', created_at: ended_at }).run()
  setImmediate(() => notificationEvents.emit('queued', [job.user_id]))
}
