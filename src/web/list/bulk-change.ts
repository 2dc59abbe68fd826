import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { write } from '../../database/open.ts'
import { HttpError, template } from '../http.ts'
import { recordSubmission, reportAddress, withIdempotencyKey } from '../submissions/idempotency.ts'

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
}

const bulkReportPage = template<BulkReport>('pages/bulk-report.njk')

export function sendBulkReport(
  reply: FastifyReply,
  results: BulkResult[],
  {
    titleOf,
    refusedOf,
    ...links
  }: { titleOf: (count: number) => string; refusedOf: (count: number) => string; card: string; back: string },
) {
  const changed = results.filter(({ reason }) => reason === undefined).length
  return reply.page(bulkReportPage, { title: titleOf(changed), refused: refusedOf(results.length - changed), results, changed, ...links })
}

/**
 * Changes many records, each in a transaction of its own; rejected ones have a reason and do not stop the others. If the service stops
 * halfway, the same body sent again skips what it has changed already.
 * @throws HttpError when this person may no longer do so; what was changed until then stays changed
 */
export async function changeEach<R extends { id: number }>(
  request: FastifyRequest,
  body: URLSearchParams,
  records: R[],
  labelOf: (record: R) => string,
  change: (id: number) => void,
  reasonOf: (error: unknown, id: number) => string | undefined = () => undefined,
): Promise<BulkResult[]> {
  const { server, t } = request
  const changeOne = (id: number): string | undefined => {
    const work = () => {
      change(id)
      return { location: '' }
    }
    try {
      write(server.db, () => withIdempotencyKey(request, body, work, id))
    } catch (error) {
      const reason = reasonOf(error, id) ?? (error instanceof HttpError ? t(error.message, error.params) : undefined)
      if (reason === undefined) throw error
      return reason
    }
  }
  const results: BulkResult[] = []
  for (const record of records) {
    // Meanwhile others were served: whoever lost access changes no more.
    request.reauthorize()
    results.push({ id: record.id, label: labelOf(record), reason: changeOne(record.id) })
    // Lets other requests be served.
    await nextTurn()
  }
  write(server.db, () => recordSubmission(request, body, { location: reportAddress(request, body), report: results }))
  return results
}
