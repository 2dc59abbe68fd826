import { eq } from 'drizzle-orm'
import { anyOf, everyone, group, isGroup, type Ownership } from '../../core/access.ts'
import { jobs } from '../../database/index.ts'
import type { Job } from '../../records/jobs/job.ts'

const ownJobs: Ownership<Job> = {
  description: 'your own jobs',
  predicate: (actor, job) => job.user_id === actor.id,
  where: (actor) => eq(jobs.user_id, actor.id),
}

const administratorsAndOwn = anyOf<Job>(isGroup(group.administrator), everyone(ownJobs))

export const jobAccess = { list: administratorsAndOwn, view: administratorsAndOwn, steer: administratorsAndOwn }

/** Whose menu has them: others come from what they have started. */
export const seesAll = anyOf(isGroup(group.administrator))
