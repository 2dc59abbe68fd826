import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../http/request/context.ts'
import { template } from '../../http/request/template.ts'
import { type Result, reportAddress } from '../../http/submissions/idempotency.ts'
import { attemptAll, describeRefusal } from '../jobs/attempt-all.ts'
import { addJob, bulkLimit, type NewJob } from '../jobs/job.ts'

export interface BulkResult {
  id: number
  label: string
  /** Why the record was not changed. */
  reason?: string
}

interface BulkReport {
  title: string
  results: BulkResult[]
  changed: number
  /** The heading above the records that were not changed. */
  refused: string
  card: string
  back: string
  download?: string
}

const bulkReportPage = template<BulkReport>('pages/bulk-report.njk')

export function sendBulkReport(
  reply: FastifyReply,
  results: BulkResult[],
  {
    titleOf,
    refusedOf,
    ...links
  }: { titleOf: (count: number) => string; refusedOf: (count: number) => string } & Pick<BulkReport, 'card' | 'back' | 'download'>,
) {
  const changed = results.filter(({ reason }) => reason === undefined).length
  return reply.page(bulkReportPage, { title: titleOf(changed), refused: refusedOf(results.length - changed), results, changed, ...links })
}

export interface Changes {
  change: (context: Context, id: number) => void
  /** Says why it refused a record, where that is no `HttpError`. */
  reasonOf?: (context: Context, id: number, error: unknown) => string | undefined
}

/**
 * Changes records; rejected ones have a reason and do not stop the others. Very many become a job. Call it inside `write`.
 * @returns the report on each, or the address of the job
 */
export function changeMany<R extends { id: number }>(
  request: FastifyRequest,
  records: R[],
  { labelOf, job, ...changes }: Changes & { labelOf: (record: R) => string; job: Pick<NewJob, 'kind' | 'list' | 'payload'> },
): Result {
  if (records.length > bulkLimit) return { location: addJob(request, { ...job, total: records.length }) }
  const ids = records.map(({ id }) => id)
  const reasons = new Map(changeEach(request, ids, changes).map(({ id, reason }) => [id, reason]))
  const report = records.map((record) => ({ id: record.id, label: labelOf(record), reason: reasons.get(record.id) }))
  return { location: reportAddress(request), report }
}

/** Changes each of them, or says why not. Call it inside `write`. */
export function changeEach(context: Context, ids: number[], { change, reasonOf }: Changes) {
  const describe = describeRefusal(context)
  return ids.flatMap((id) =>
    attemptAll(
      context,
      [id],
      () => change(context, id),
      (error) => reasonOf?.(context, id, error) ?? describe(error),
    ),
  )
}
