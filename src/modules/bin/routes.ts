import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { allows } from '../../core/access.ts'
import { DoesNotFit, restoreRecords } from '../../database/restoring.ts'
import { flash } from '../../web/flash.ts'
import { authorOf, cameFrom, safePath, url } from '../../web/http.ts'
import { showList } from '../../web/list/show.ts'
import { writeRecord } from '../../web/policy.ts'
import { restoringRules } from './access.ts'
import { type Batch, findBatch, markRestored, recordsOf } from './batch.ts'
import { binList } from './list.ts'
import { misfitsInWords } from './misfits.ts'

/** What was deleted, for 30 days. */
export async function binRoutes(app: FastifyInstance): Promise<void> {
  const { open, restore, list } = restoringRules(app)
  app.menu.push({ path: '/bin', label: 'Bin', icon: 'trash', rule: open, may: { list: open, restore } })

  app.get('/bin', { access: open }, showList(binList(app, list)))
  app.post('/bin/:id/restore', { access: restore, record: findBatch }, restoreBatch)
}

/** All of it or nothing; what was restored already needs no more than a word. */
function restoreBatch(request: FastifyRequest, reply: FastifyReply) {
  try {
    const { label, size, list } = writeRecord(request, (batch: Batch) => putBack(request, batch))
    flash(request, size === 1 ? '{name} has been restored.' : '{count} records have been restored.', { name: label, count: size })
    return reply.redirect(whereNext(request, list), 303)
  } catch (error) {
    if (!(error instanceof DoesNotFit)) throw error
    const title = request.t('As things are, this cannot be restored. Nothing was changed.')
    return reply.code(409).page('bin/misfits.njk', { title, ...misfitsInWords(request, error.misfits) })
  }
}

function putBack(request: FastifyRequest, batch: Batch): Batch {
  const { db, deletions } = request.server
  if (batch.restored_at !== null) return batch
  const kept = recordsOf(db, batch)
  const rows = kept.map(({ removed }) => removed.rows[0]?.row ?? {})
  const deletion = deletions.get(batch.list)
  restoreRecords(db, kept, deletion?.objections?.(db, rows) ?? [], authorOf(request))
  deletion?.restored?.(
    request,
    kept.map((record) => record.record_id),
  )
  markRestored(db, batch)
  return batch
}

/** Back to where the button was pressed: the list it was deleted from, or the bin. */
function whereNext(request: FastifyRequest, list: string): string {
  const { actor, server } = request
  const fallback = allows(server.deletions.get(list)?.list.may.list ?? [], actor) ? `/${list}` : '/'
  const from = cameFrom(request)
  return safePath(server, from?.includes('/bin/') ? undefined : from, url(server, fallback))
}
