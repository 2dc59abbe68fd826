import { eq } from 'drizzle-orm'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { anyOf, group, isGroup } from '../../core/access.ts'
import { jobs } from '../../database/index.ts'
import { onRecord } from '../../http/access/record-routes.ts'
import { action, type Done } from '../../http/action.ts'
import { url } from '../../http/request/addresses.ts'
import type { Context } from '../../http/request/context.ts'
import { HttpError } from '../../http/request/errors.ts'
import type { UndoForm } from '../../http/request/flash.ts'
import { template } from '../../http/request/template.ts'
import { findJob, findOpenJob, isOpen, type Job, service } from '../../records/jobs/job.ts'
import { endJob } from '../../records/jobs/worker.ts'
import { addRecord } from '../../records/record.ts'
import { isRetryable, jobAccess, jobList, viewOfJob } from './list.ts'

const jobPage = template<{ title: string; job: JobView }>('jobs/job.njk')

export async function jobRoutes(app: FastifyInstance): Promise<void> {
  addRecord(app, { list: jobList(app) })
  app.registry.menu.push({
    path: '/jobs',
    label: 'Jobs',
    icon: 'refresh',
    letter: 'j',
    section: 'System',
    says: ['queue, in the background'],
    rule: seesAll,
    may: { list: jobAccess.list },
  })
  app.get('/jobs/:id', onRecord({ access: jobAccess.view, record: findJob }, showJob))
  app.post('/jobs/:id/stop', action({ access: jobAccess.stop, record: findJob }, stopJob))
  app.post('/jobs/:id/retry', action({ access: jobAccess.retry, record: findJob }, retryJob))
}

interface JobView extends ReturnType<typeof viewOfJob> {
  /** The first of them, to whoever has started it. */
  report: Job['report']
  back?: string
  card?: string
  undo?: UndoForm
  file?: string
}

function showJob(request: FastifyRequest, reply: FastifyReply, job: Job) {
  const view = viewOfJob(request, job)
  const isOwn = job.user_id === request.actor.id
  const links = isOwn ? request.server.registry.jobKinds.get(job.kind)?.links?.(request, job) : undefined
  return reply.page(jobPage, { title: view.name, job: { ...view, report: isOwn ? job.report : [], ...links } })
}

function stopJob({ server }: Context, job: Job): Done {
  if (!isOpen(job)) throw new HttpError(409, 'This job has already ended.')
  if (job.user_id === service) throw new HttpError(409, 'The service needs this job: it cannot be stopped.')
  endJob(server, job, 'stopped', null)
  return { location: addressOf(server, job), message: ['Job stopped'] }
}

/** Goes on where it stopped. */
function retryJob({ server }: Context, job: Job): Done {
  if (!isRetryable(job)) throw new HttpError(409, 'Only a job that failed or was stopped can be tried again.')
  if (job.subject && findOpenJob(server.db, job.subject)) throw new HttpError(409, 'Another job is working on this already.')
  const now = Date.now()
  const values = { state: 'waiting' as const, attempts: 0, problem: null, ended_at: null, started_at: now, due_at: now }
  server.db.update(jobs).set(values).where(eq(jobs.id, job.id)).run()
  setImmediate(() => server.jobs.wake())
  return { location: addressOf(server, job) }
}

const addressOf = (app: FastifyInstance, { id }: Job) => url(app, `/jobs/${id}`)

/** Whose menu has them: others come from what they have started. */
const seesAll = anyOf(isGroup(group.administrator))
