import { setTimeout as pause } from 'node:timers/promises'
import { and, asc, eq, lte, min, notInArray } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { type Database, isOpenJob, jobs, notifications, users, write } from '../../database/index.ts'
import { withoutWaiting } from '../../database/open.ts'
import { storageUnavailableReason } from '../../database/storage-unavailable.ts'
import { contextFor } from '../../http/access/context-for.ts'
import { HttpError } from '../../http/request/errors.ts'
import { type AwaitedKind, bulkLimit, type EndState, findJob, isOpen, type Job, type PartKind, type StoredJob, service } from './job.ts'
import { retryAt } from './retry.ts'

/** Milliseconds of processor time for a part, and of the pause after it, in which others are served. */
const partTime = 20
const partPause = 10
const firstSize = 25

const attemptsOfJob = 5
const delayOfFault = 10_000
const longestSleep = 3600_000
const drainTimeout = 3_000
const namedInReport = 1000

export const jobsPlugin = fp(async (app: FastifyInstance) => {
  const awaited: FastifyInstance['jobs']['awaited'] = new Map()
  const carryOutNext = jobPerformer(app)
  let timer: NodeJS.Timeout | undefined
  let isClosing = false
  /** When the pause after the last part is over. */
  let rested = 0
  const rest = (milliseconds: number) => {
    clearTimeout(timer)
    timer = isClosing ? undefined : setTimeout(goOn, milliseconds).unref()
  }
  const goOn = () => {
    const milliseconds = attempt(app, carryOutNext)
    rested = performance.now() + Math.min(milliseconds, partPause)
    rest(milliseconds)
  }
  const wake = () => rest(Math.max(0, rested - performance.now()))
  app.decorate('jobs', { awaited, wake })
  app.addHook('onReady', async () => wake())
  app.addHook('onClose', async () => {
    isClosing = true
    clearTimeout(timer)
    for (const { canceled } of awaited.values()) canceled.abort()
    const ended = Promise.all([...awaited.values()].map(({ ended }) => ended))
    await Promise.race([ended, pause(drainTimeout, undefined, { ref: false })])
  })
})

/** Where even that it failed cannot be noted, such as on a full disk, everything is tried again later. */
function attempt({ log, db }: FastifyInstance, carryOut: () => number): number {
  try {
    return db.$client.open ? carryOut() : longestSleep
  } catch (error) {
    log.error({ err: error }, 'jobs could not be carried out')
    return delayOfFault
  }
}

/** Returns what carries out a part of the next job, or begins to await it, and says how many milliseconds the worker may rest then. */
function jobPerformer(app: FastifyInstance): () => number {
  const performPart = partPerformer(app)
  return () => {
    const underWay = [...app.jobs.awaited.keys()]
    const job = nextJob(app.db, underWay)
    if (!job) return untilNext(app.db, underWay)
    const kind = app.registry.jobKinds.get(job.kind)
    if (!kind) return noteFailure(app, job, new HttpError(422, 'This version no longer knows such jobs.'))
    if ('perform' in kind) return performPart(job, kind)
    begin(app, job, kind)
    return 0
  }
}

/** The one that has waited longest, so that none holds up another. */
function nextJob(db: Database, underWay: number[]): Job | undefined {
  const due = and(isOpenJob, lte(jobs.due_at, Date.now()), notInArray(jobs.id, underWay))
  return db.select().from(jobs).where(due).orderBy(asc(jobs.claimed_at), asc(jobs.id)).limit(1).get()
}

function untilNext(db: Database, underWay: number[]): number {
  const next = db
    .select({ at: min(jobs.due_at) })
    .from(jobs)
    .where(and(isOpenJob, notInArray(jobs.id, underWay)))
    .get()?.at
  return next == null ? longestSleep : Math.min(Math.max(next - Date.now(), partPause), longestSleep)
}

function partPerformer(app: FastifyInstance) {
  /** By kind: how many records take the time of a part. */
  const sizes = new Map<string, number>()
  return (job: Job, kind: PartKind<unknown>): number => {
    const size = sizes.get(job.kind) ?? firstSize
    const before = process.cpuUsage()
    try {
      write(app.db, () => performPart(app, job, kind, size))
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

function performPart(app: FastifyInstance, job: Job, kind: PartKind<unknown>, size: number): void {
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

/** Claims a job, and awaits it beside others. */
function begin(app: FastifyInstance, job: Job, kind: AwaitedKind<unknown>): void {
  const { db, log } = app
  withoutWaiting(db, () => db.update(jobs).set({ state: 'running', claimed_at: Date.now() }).where(eq(jobs.id, job.id)).run())
  const canceled = new AbortController()
  const ended = carryOut(app, job, kind, canceled.signal)
    .catch((error) => {
      log.error({ err: error }, 'the end of a job could not be noted')
      return pause(delayOfFault, undefined, { signal: canceled.signal, ref: false }).catch(() => {})
    })
    .then(() => {
      app.jobs.awaited.delete(job.id)
      app.jobs.wake()
    })
  app.jobs.awaited.set(job.id, { ended, canceled })
}

/** After shutdown the end is lost, and the job goes on at the next start. */
async function carryOut(app: FastifyInstance, job: Job, kind: AwaitedKind<unknown>, signal: AbortSignal): Promise<void> {
  try {
    const note = await kind.work(app, job, signal)
    if (app.db.$client.open) write(app.db, () => noteEnd(app, job, note))
  } catch (error) {
    if (app.db.$client.open && !signal.aborted) noteFailure(app, job, error)
  }
}

function noteEnd(app: FastifyInstance, job: Job, note: () => number | undefined): void {
  const { db } = app
  const now = findJob(db, job.id)
  if (!now || !isOpen(now)) return
  const due_at = note()
  if (due_at === undefined) endJob(app, findJob(db, job.id) ?? now, 'done', null)
  else db.update(jobs).set({ state: 'waiting', attempts: 0, problem: null, due_at }).where(eq(jobs.id, job.id)).run()
}

/** What is wrong with a request stays wrong, anything else is tried again for a while. */
function noteFailure(app: FastifyInstance, job: Job, error: unknown): number {
  const attempts = job.attempts + 1
  const due_at = error instanceof HttpError ? undefined : retryAt(attempts, attemptsOfJob)
  app.log.error({ err: error, job: job.id }, due_at ? 'a part of a job waits for another attempt' : 'a job has failed')
  write(app.db, () => {
    const values = { state: 'waiting' as const, attempts, due_at, claimed_at: Date.now(), problem: problemOf(error) }
    const { changes } = app.db
      .update(jobs)
      .set(values)
      .where(and(eq(jobs.id, job.id), isOpenJob))
      .run()
    if (changes > 0 && due_at === undefined) endJob(app, job, 'failed', problemOf(error))
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
export function endJob(app: FastifyInstance, job: Job, state: EndState, problem: StoredJob['problem']): void {
  const { db, notificationEvents } = app
  const told = app.registry.jobKinds.get(job.kind)?.end?.(app, job, state)
  if (state === 'stopped') setImmediate(() => app.jobs.awaited.get(job.id)?.canceled.abort())
  if (state === 'done' && job.user_id === service) return void db.delete(jobs).where(eq(jobs.id, job.id)).run()
  const ended_at = Date.now()
  db.update(jobs).set({ state, problem, ended_at }).where(eq(jobs.id, job.id)).run()
  const isThere = db.select({ id: users.id }).from(users).where(eq(users.id, job.user_id)).get()
  if (!isThere) return
  const event = `job-${state}` as const
  const notice = { user_id: job.user_id, job_id: job.id, event, status_name: '', created_at: ended_at, ...told }
  db.insert(notifications).values(notice).run()
  setImmediate(() => notificationEvents.emit('queued', [job.user_id]))
}
