import { eq, ne, or, sql } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import { allows, anyOf, everyone, group, isGroup, type Ownership, owned, superadministrator } from '../../core/access.ts'
import { jobKindLabels, jobStateLabels } from '../../core/labels.ts'
import { type Database, jobs, whereIn } from '../../database/index.ts'
import type { Context } from '../../http/request/context.ts'
import { actorNameFor } from '../../records/history/actor-name.ts'
import { isOpen, type Job, service } from '../../records/jobs/job.ts'
import { wordFilter } from '../../records/list/common-filters.ts'
import type { List } from '../../records/list/list.ts'
import { channels } from '../notifications/channels.ts'

/** What waits for a channel is sent by a job that has its name. */
const kindLabels: Record<string, string> = { ...jobKindLabels, ...Object.fromEntries(channels.map(({ key, label }) => [key, label])) }

const author = sql<string>`${jobs.author} ->> 'name'`

export function jobList(app: FastifyInstance): List<ReturnType<typeof viewOfJob>> {
  return {
    name: 'jobs',
    title: 'Jobs',
    empty: {
      title: 'No jobs yet',
      text: 'What takes long appears here, such as an import or the deletion of many records.',
    },
    columns: [
      { key: 'kind', label: 'Job', kind: 'text', value: jobs.kind, words: kindLabels },
      { key: 'state', label: 'State', kind: 'status', value: jobs.state, words: jobStateLabels },
      { key: 'done', label: 'Progress', kind: 'short', value: jobs.done },
      { key: 'who', label: 'Started by', kind: 'person', value: author },
      { key: 'created_at', label: 'Started', kind: 'recent', value: jobs.created_at, sort: jobs.created_at },
      { key: 'problem', label: 'Problem', kind: 'text' },
    ],
    sizes: [25, 50, 100],
    sort: { key: 'created_at', dir: 'desc' },
    table: jobs,
    may: jobAccess,
    filters: [wordFilter('state', 'State', jobStateLabels, jobs.state), wordFilter('kind', 'Job', kindLabels, jobs.kind)],
    searchHint: 'person',
    find: [author],
    rows: { load: (ids, context) => findJobs(app.db, ids).map((job) => viewOfJob(context, job)), template: 'jobs/rows.njk', events: true },
  }
}

const findJobs = (db: Database, ids: number[]) => db.select().from(jobs).where(whereIn(jobs.id, ids)).all()

/** Without the records that it skipped: not everybody who sees a job may see those. */
export function viewOfJob({ server, actor, t }: Context, job: Job) {
  const { id, user_id, kind, list, state, done, total, skipped, created_at, author, problem } = job
  const listTitle = server.records.get(list)?.list?.title
  return {
    ...{ id, kind, state, done, total, skipped, created_at },
    name: [t(kindLabels[kind] ?? kind), listTitle && t(listTitle)].filter(Boolean).join(': '),
    stateLabel: jobStateLabels[state],
    who: author.impersonator ? `${author.name} (${author.impersonator.name})` : actorNameFor(t, author.name),
    problem: problem && t(...problem),
    isOpen: isOpen({ state }),
    stoppable: isOpen({ state }) && user_id !== service,
    retryable: isRetryable(job) && allows(jobAccess.retry, actor, job),
  }
}

export const isRetryable = ({ state }: Pick<Job, 'state'>) => state === 'failed' || state === 'stopped'

const ownJobs: Ownership<Job> = {
  description: 'your own jobs',
  predicate: (actor, job) => job.user_id === actor.id,
  where: (actor) => eq(jobs.user_id, actor.id),
}

/** The service always has some of its own, such as the sending of mail: what waits there is in the outbox. */
const toLookAfter: Ownership<Job> = {
  description: 'the jobs of everybody, and those of the service that failed',
  predicate: (_, { user_id, state }) => user_id !== service || state === 'failed',
  where: () => or(ne(jobs.user_id, service), eq(jobs.state, 'failed')),
}

/** Whoever stopped one had a reason, and what it goes on with is done in its author's name. */
const exceptStopped = owned<Job>('jobs that nobody stopped', (_, { state }) => state !== 'stopped')

const administratorsAndOwn = anyOf<Job>(isGroup(group.administrator), everyone(ownJobs))

export const jobAccess = {
  list: anyOf<Job>(isGroup(group.administrator, toLookAfter), everyone(ownJobs)),
  view: administratorsAndOwn,
  stop: administratorsAndOwn,
  retry: anyOf<Job>(superadministrator, isGroup(group.administrator, exceptStopped), everyone(ownJobs)),
}
