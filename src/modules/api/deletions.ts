import { and, asc, gt, gte, inArray, isNull, sql } from 'drizzle-orm'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type AnyRule, allows, authorizer, either } from '../../core/access.ts'
import { type StoredRow, trash, unfinishedBatches } from '../../database/index.ts'
import type { AnyList } from '../../web/list/state.ts'
import { restorableSince } from '../../web/operations/housekeeping.ts'
import { readListQuery, walkOf } from './list-query.ts'
import { pageToken } from './page-token.ts'
import { isoTime } from './present-fields.ts'
import { resources } from './resources/all.ts'
import { sendJson } from './send-json.ts'

/** Whoever may list any of the records is told which of them are gone. */
export const mayReadDeletions: AnyRule = either(...resources.map(({ may }) => may.list))

/** Records that were deleted within the last 30 days and not restored, as far as somebody could have seen them. */
export function listDeletions(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const list = { name: 'deletions', filters: [] } as unknown as AnyList
  const { limit, updatedSince, after } = readListQuery(request, list)
  const rows = selectDeleted(request, limit + 1, after?.id ?? 0, updatedSince)
  const shown = rows.slice(0, limit)
  const last = rows.length > limit ? shown.at(-1) : undefined
  return sendJson(reply, {
    items: shown.filter(couldSee(request)).map(({ list, record_id, at }) => ({ type: list, id: record_id, deleted_at: isoTime(at) })),
    next: last ? pageToken(walkOf(list, updatedSince), { value: last.at, id: last.id }) : null,
  })
}

type Deleted = ReturnType<typeof selectDeleted>[number]

/** What is deleted in parts is told when all of it is gone, and nothing that was deleted after it is told before. */
function selectDeleted({ server: { db }, actor }: FastifyRequest, limit: number, after: number, since = 0) {
  const listed = resources.filter(({ may }) => allows(may.list, actor)).map(({ name }) => name)
  const { id, at, list, record_id } = trash
  const row = sql<string>`${trash.removed} -> '$.rows[0].row'`
  const unfinished = sql`(select min(${id}) from ${trash} where ${trash.batch} in (select ${unfinishedBatches.batch} from ${unfinishedBatches}))`
  const told = and(
    gt(id, after),
    gte(at, Math.max(since, restorableSince())),
    inArray(list, listed),
    isNull(trash.restored_at),
    sql`${id} < ifnull(${unfinished}, ${id} + 1)`,
  )
  return db.select({ id, at, list, record_id, row }).from(trash).where(told).orderBy(asc(id)).limit(limit).all()
}

function couldSee({ server, actor }: FastifyRequest) {
  const judges = new Map(resources.map(({ name, may }) => [name, authorizer(may.list, actor)]))
  return ({ list, row }: Deleted): boolean => {
    const stored: StoredRow = JSON.parse(row)
    return judges.get(list)?.(server.deletions.get(list)?.factsOf?.(server.db, stored) ?? stored) ?? false
  }
}
