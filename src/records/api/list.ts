import { and, gt, gte, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../http/request/context.ts'
import type { AnyResource, ApiRow } from '../kind/resource.ts'
import type { AnyList, Filter, ListState } from '../list/list.ts'
import { sliceIds } from '../list/page.ts'
import { sortByIds } from '../list/rows.ts'
import { readListQuery, type WalkQuery, walkOf } from './list-query.ts'
import { pageToken } from './page-token.ts'
import { listOfResource } from './resource.ts'
import { sendJson } from './send-json.ts'

/** A page of a list: the records that its page on screen would have, walked by an index however far. */
export function listRecords(resource: AnyResource) {
  return (request: FastifyRequest, reply: FastifyReply) => {
    const list = listOfResource(resource, request)
    const query = readListQuery(request, list)
    const json = resource.rowJson ?? resource.json
    const by = query.updatedSince === undefined ? resource.walk : resource.table.updated_at
    const ids = walkedIds(request, resource, list, query, by)
    const rows: ApiRow[] = sortByIds(ids.slice(0, query.limit), resource.rows(request, ids.slice(0, query.limit)))
    const last = ids.length > query.limit ? rows.at(-1) : undefined
    return sendJson(reply, {
      items: rows.map((row) => json(request, row)),
      next: last ? pageToken(walkOf(list, query.updatedSince), { value: walkedValue(last, query), id: last.id }) : null,
    })
  }
}

const walkedValue = (row: ApiRow, { updatedSince }: WalkQuery) => (updatedSince === undefined ? row.created_at : row.updated_at)

/** One more than asked for, which says that there is a next page. */
function walkedIds({ server, actor }: Context, { table }: AnyResource, list: AnyList, query: WalkQuery, by?: SQLiteColumn): number[] {
  const { limit, q, filters } = query
  const column = { key: walk, label: '', kind: 'moment', sort: by } as const
  // As a filter, since whatever narrows a search is one.
  const walked = { ...list, columns: [column], filters: [...(list.filters ?? []), positionFilter(table.id, query, by)] }
  const usual: ListState['usual'] = { sort: walk, dir: 'asc', size: limit, cols: [], filters: {} }
  const state = { ...usual, q, filters: { ...filters, [walk]: walk }, page: 1, usual }
  return sliceIds({ db: server.db, list: walked, actor, state }, { offset: 0, length: limit + 1 })
}

const walk = ' walk'

function positionFilter(id: SQLiteColumn, { after, updatedSince }: WalkQuery, by: SQLiteColumn | undefined): Filter {
  const since = updatedSince !== undefined && by ? gte(by, updatedSince) : undefined
  const beyond = after && (by ? sql`(${by}, ${id}) > (${after.value}, ${after.id})` : gt(id, after.id))
  return { name: walk, label: '', where: () => and(since, beyond) ?? sql`1` }
}
