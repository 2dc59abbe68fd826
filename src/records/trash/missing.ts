import { and, desc, eq, getTableName, inArray, isNotNull, isNull } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import { allows, type Rule } from '../../core/access.ts'
import { trash } from '../../database/index.ts'
import { paramOf, parseId } from '../../http/request/input.ts'
import { template } from '../../http/request/template.ts'
import { type Batch, findBatch } from './batch.ts'

type Deleted = Pick<typeof trash.$inferSelect, 'id' | 'at' | 'actor_name'>

const missingRecord = template<{ suggestion: { deleted: Deleted } }>('trash/missing.njk')

/** Whoever asks for a record that was deleted, and may restore it, is told so. */
export const offerToRestore = (rule: Rule<Batch>) => (request: FastifyRequest) => {
  const { server, actor, signIn } = request
  const deleted = signIn.sessionId ? findDeleted(request) : undefined
  const batch = deleted && findBatch(server.db, deleted.id)
  return batch && allows(rule, actor, batch) ? { ...missingRecord, deleted } : undefined
}

function findDeleted(request: FastifyRequest): Deleted | undefined {
  const { db, records, config } = request.server
  const path = request.url.slice(config.baseUrl.length)
  const card = [...records.values()]
    .flatMap(({ card }) => card ?? [])
    .find(({ path: form, page = form }) => [form, page].some((place) => path.startsWith(`${place}/`)))
  const id = parseId(paramOf(request, 'id'))
  if (!card || id === undefined) return undefined
  const { batch, entity, record_id, list, restored_at, size, at, actor_name } = trash
  const ofRecord = and(eq(entity, getTableName(card.form.table)), eq(record_id, id), eq(list, card.list), isNull(restored_at))
  const last = db.select({ batch }).from(trash).where(ofRecord).orderBy(desc(trash.id)).limit(1)
  // The first record of a batch stands for all of it.
  const first = and(inArray(batch, last), isNotNull(size))
  return db.select({ id: trash.id, at, actor_name }).from(trash).where(first).get()
}
