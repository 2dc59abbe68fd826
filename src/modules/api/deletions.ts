import { setImmediate as yieldToLoop } from 'node:timers/promises'
import { and, asc, gte, inArray, isNull, sql } from 'drizzle-orm'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type AnyRule, allows, authorizer, either } from '../../core/access.ts'
import { type StoredRow, trash } from '../../database/index.ts'
import { reauthorize } from '../../http/access/policy-hook.ts'
import type { Context } from '../../http/request/context.ts'
import { isoTime } from '../../records/api/fields-json.ts'
import { readListQuery, walkOf } from '../../records/api/list-query.ts'
import { type Position, pageToken } from '../../records/api/page-token.ts'
import { sendJson } from '../../records/api/send-json.ts'
import { restorableSince } from '../../records/housekeeping.ts'
import { resourcesOf } from '../../records/kind/registry.ts'
import type { AnyList } from '../../records/list/list.ts'

export function deletionsRoute(scope: FastifyInstance): void {
  scope.get('/v1/deletions', { access: mayReadDeletions(scope), answers: 'json' }, listDeletions)
}

/** Whoever may list any of the records is told which of them are gone. */
const mayReadDeletions = (app: FastifyInstance): AnyRule => either(...resourcesOf(app).map(({ may }) => may.list))

/**
 * Records that were deleted within the last 30 days and not restored, as far as somebody could have seen them. A page is full of such, and
 * its token names the last of them: neither tells of what others have deleted.
 */
async function listDeletions(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const list = { name: 'deletions', filters: [] } as unknown as AnyList
  const { limit, updatedSince, after } = readListQuery(request, list)
  const rows = await selectSeen(request, limit + 1, after, updatedSince)
  const shown = rows.slice(0, limit)
  const last = rows.length > limit ? shown.at(-1) : undefined
  return sendJson(reply, {
    items: shown.map(({ list, record_id, at }) => ({ type: list, id: record_id, deleted_at: isoTime(at) })),
    next: last ? pageToken(walkOf(list, updatedSince), positionOf(last)) : null,
  })
}

const positionOf = ({ at, list, record_id }: Deleted): Position => ({ value: at, id: record_id, of: list })

const sliceSize = 500

async function selectSeen(request: FastifyRequest, count: number, after?: Position, since?: number): Promise<Deleted[]> {
  const seen: Deleted[] = []
  let from = after
  while (seen.length < count) {
    const slice = selectDeleted(request, sliceSize, from, since)
    seen.push(...slice.filter(couldSee(request)))
    const last = slice.at(-1)
    if (!last || slice.length < sliceSize) break
    from = positionOf(last)
    await yieldToLoop()
    reauthorize(request)
  }
  return seen.slice(0, count)
}

type Deleted = ReturnType<typeof selectDeleted>[number]

function selectDeleted({ server, actor }: Context, limit: number, after: Position | undefined, since = 0) {
  const listed = resourcesOf(server)
    .filter(({ may }) => allows(may.list, actor))
    .map(({ name }) => name)
  const { at, list, record_id } = trash
  const row = sql<string>`${trash.removed} -> '$.rows[0].row'`
  const told = and(
    after && sql`(${at}, ${list}, ${record_id}) > (${after.value}, ${after.of ?? ''}, ${after.id})`,
    gte(at, Math.max(since, restorableSince())),
    inArray(list, listed),
    isNull(trash.restored_at),
  )
  const order = [asc(at), asc(list), asc(record_id)]
  return server.db
    .select({ at, list, record_id, row })
    .from(trash)
    .where(told)
    .orderBy(...order)
    .limit(limit)
    .all()
}

function couldSee({ server, actor }: Context) {
  const judges = new Map(resourcesOf(server).map(({ name, may }) => [name, authorizer(may.list, actor)]))
  return ({ list, row }: Deleted): boolean => {
    const stored: StoredRow = JSON.parse(row)
    return judges.get(list)?.(server.records.get(list)?.deletion?.factsOf?.(server.db, stored) ?? stored) ?? false
  }
}
