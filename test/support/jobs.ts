import { setTimeout as pause } from 'node:timers/promises'
import { desc, eq, ne } from 'drizzle-orm'
import type { Database } from '../../src/database/open.ts'
import { isOpenJob, jobs } from '../../src/database/schema/index.ts'
import type { AwaitedKind, Job } from '../../src/records/jobs/job.ts'
import type { Cabinet } from './cabinet.ts'

/** Waits until a job has ended, the newest one of a person unless its address is given; returns it. */
export async function endOfJob({ db }: Pick<Cabinet, 'db'>, location?: string) {
  for (let turn = 0; turn < 4000; turn++) {
    const id = location && Number(/\/jobs\/(\d+)/.exec(location)?.[1])
    const job = db
      .select()
      .from(jobs)
      .where(id ? eq(jobs.id, id) : ne(jobs.user_id, 0))
      .orderBy(desc(jobs.id))
      .limit(1)
      .get()
    if (job?.ended_at) return job
    // Requests made within the process would leave timers no turn.
    await pause(5)
  }
  throw new Error('the job did not end')
}

/** A job that has ended, unless the values say otherwise. */
export function insertJob(db: Database, user_id: number, values: Partial<typeof jobs.$inferInsert> = {}): number {
  const now = Date.now()
  const times = { authenticated_at: now, created_at: now, started_at: now, due_at: now, ended_at: now }
  const payload = { ids: [], body: '', back: '/dealers' }
  const report = [{ id: 999, label: 'Somebody', reason: 'Record not found. It may have been deleted.' }]
  const job = { kind: 'delete', list: 'dealers', state: 'done' as const, done: 300, total: 300, skipped: 1, report, payload }
  const { lastInsertRowid } = db
    .insert(jobs)
    .values({ ...job, ...times, ...values, user_id, author: { id: user_id, name: 'Root Olga' } })
    .run()
  return Number(lastInsertRowid)
}

/** Waits, while parts are carried out, until something is so. */
export async function until(isSo: () => boolean): Promise<void> {
  for (const end = Date.now() + 60_000; !isSo(); await pause(1)) if (Date.now() > end) throw new Error('it did not happen')
}

/** As if the time of every job had come. */
export function callWorker({ app, db }: Pick<Cabinet, 'app' | 'db'>): void {
  db.update(jobs).set({ due_at: 0 }).where(isOpenJob).run()
  app.jobs.wake()
}

/** Does what the service does every hour. */
export async function runHourly(app: Cabinet['app'], kind: string): Promise<void> {
  const { work } = app.registry.jobKinds.get(kind) as AwaitedKind<unknown>
  await work(app, {} as Job, new AbortController().signal)
}
