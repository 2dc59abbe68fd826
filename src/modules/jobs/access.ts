import { eq, ne, or } from 'drizzle-orm'
import { anyOf, everyone, group, isGroup, type Ownership } from '../../core/access.ts'
import { jobs } from '../../database/index.ts'
import { type Job, service } from '../../records/jobs/job.ts'

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

const administratorsAndOwn = anyOf<Job>(isGroup(group.administrator), everyone(ownJobs))

export const jobAccess = {
  list: anyOf<Job>(isGroup(group.administrator, toLookAfter), everyone(ownJobs)),
  view: administratorsAndOwn,
  steer: administratorsAndOwn,
}

/** Whose menu has them: others come from what they have started. */
export const seesAll = anyOf(isGroup(group.administrator))
