import { and, eq } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import {
  type Author,
  type Database,
  isOpenJob,
  jobs,
  type notifications,
  prepareOnce,
  type Skipped,
  systemName,
} from '../../database/index.ts'
import type { Context } from '../../http/request/context.ts'
import type { UndoForm } from '../../http/request/flash.ts'
import type { FindRecord } from '../../http/request/route-policy.ts'

/** More records than that are a job; a part of one has no more. */
export const bulkLimit = 250

export type StoredJob = typeof jobs.$inferSelect

export interface Job<Payload = unknown> extends StoredJob {
  payload: Payload
}

export type EndState = 'done' | 'failed' | 'stopped'

interface Kind<Payload> {
  /** The service adds one every hour. */
  hourly?: true
  /** Runs inside the transaction in which the job ends; returns what its author is told besides. */
  end?: (app: FastifyInstance, job: Job<Payload>, state: EndState) => Partial<typeof notifications.$inferInsert> | undefined
  /** What its page leads to: where it was started, the records that it skipped, what takes it back, and the file that it has made. */
  links?: (context: Context, job: Job<Payload>) => { back: string; card?: string; undo?: UndoForm; file?: string }
}

/** Work on many records, a part at a time. */
export interface PartKind<Payload> extends Kind<Payload> {
  /**
   * Carries out the next part, of up to `size` records from the one at `job.done` on, inside the transaction that notes how far the job is.
   * @param context whoever has started it, as they are now
   * @returns how many it is done with, and which of them were skipped
   */
  perform: (context: Context, job: Job<Payload>, size: number) => { done: number; skipped?: Skipped[] }
}

/** Work that awaits something, such as the answer of another server; jobs of these kinds go on beside one another. */
export interface AwaitedKind<Payload> extends Kind<Payload> {
  /**
   * Runs outside of any transaction, and again from its beginning after a restart.
   * @param signal is aborted when the job is stopped or the service closes
   * @returns what runs inside the transaction that notes its end: it says when there is more to do, if there is
   */
  work: (app: FastifyInstance, job: Job<Payload>, signal: AbortSignal) => Promise<() => number | undefined>
}

export type JobKind<Payload> = PartKind<Payload> | AwaitedKind<Payload>

declare module 'fastify' {
  interface Registry {
    // biome-ignore lint/suspicious/noExplicitAny: jobs of every kind
    jobKinds: Map<string, JobKind<any>>
  }
  interface FastifyInstance {
    jobs: {
      /** What is awaited, by the id of its job. */
      awaited: Map<number, { ended: Promise<void>; canceled: AbortController }>
      /** Lets the worker look for what is due. */
      wake: () => void
    }
  }
}

export const isOpen = ({ state }: Pick<StoredJob, 'state'>): boolean => state === 'waiting' || state === 'running'

export const findJob: FindRecord<Job> = (db, id) => db.select().from(jobs).where(eq(jobs.id, id)).get()

/** The one that works on this subject now. */
export function findOpenJob(db: Database, subject: string): Job | undefined {
  return db
    .select()
    .from(jobs)
    .where(and(eq(jobs.subject, subject), isOpenJob))
    .get()
}

export interface NewJob {
  kind: string
  list: string
  total: number
  payload: unknown
  subject?: string
}

/** Adds a job in the transaction that causes it; where one works on the subject already, it is that one. Returns its address. */
export function addJob({ server, actor, author, authenticatedAt }: Context, job: NewJob): string {
  const { db } = server
  const same = job.subject && findOpenJob(db, job.subject)
  const now = Date.now()
  const times = { authenticated_at: authenticatedAt, created_at: now, started_at: now, due_at: now }
  const id = same
    ? same.id
    : db
        .insert(jobs)
        .values({ ...job, ...times, user_id: actor.id, author })
        .returning({ id: jobs.id })
        .get().id
  setImmediate(() => server.jobs.wake())
  return `${server.config.baseUrl}/jobs/${id}`
}

/** Whose jobs are the service's own: they are in no list but where they fail, and gone when they are done. */
export const service = 0

/**
 * Adds a job of the service itself, in the transaction that causes it; of a subject one is open at a time, which is then due by that time.
 * @param subject such as the address that something is sent to
 */
export function addServiceJob(
  { db, jobs }: FastifyInstance,
  job: { kind: string; subject?: string; payload?: unknown; due_at?: number },
): void {
  const { kind, subject = kind, payload = {}, due_at = Date.now() } = job
  const now = Date.now()
  insertServiceJob(db).run({ kind, subject, payload: JSON.stringify(payload), due_at, now })
  setImmediate(jobs.wake)
}

const author: Author = { id: null, name: systemName }

const insertServiceJob = prepareOnce((db) =>
  db.$client.prepare(
    `insert into jobs (kind, list, subject, total, user_id, author, authenticated_at, created_at, started_at, due_at, payload)
      values (@kind, '', @subject, 1, ${service}, '${JSON.stringify(author)}', 0, @now, @now, @due_at, @payload)
      on conflict (subject) where state in ('waiting', 'running') do update set due_at = min(due_at, excluded.due_at)`,
  ),
)

/** The batch of the trash that a job deletes into: another one after it has ended and goes on. */
export const batchOf = ({ id, started_at }: Job): string => `job ${id} ${started_at}`
