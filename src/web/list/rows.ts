import { type SQL, sql } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { Actor } from '../../core/access.ts'
import type { Database } from '../../database/open.ts'
import { countLimit } from '../view/format.ts'
import { conditionOf, type SearchAndFilters, scopeAndFilters } from './conditions.ts'
import { countUpTo, idsOf, orderedQuery, type Slice, selectIds, selectNumber, whereClause } from './ordered-ids.ts'
import { idsFromJson, joinById, scanLimit, searchIds, searchQuery, selectMatchingIds, unlimited } from './search-results.ts'
import type { List, ListState } from './state.ts'

/**
 * The page that a state names, loaded through the actor; a page past the end is the last one. Of a search that finds
 * very many, `open` says that there are more than `total`.
 * @param limit so many rows are loaded; of those after them `rest` has the ids
 */
export function loadPage<Row extends { id: number }>(
  db: Database,
  list: List<Row>,
  actor: Actor,
  state: ListState,
  limit = Number.POSITIVE_INFINITY,
) {
  const counted = state.size === 'all' ? unlimited : Math.max(countLimit, state.page * state.size) + 1
  const found = searchIds(db, list, actor, state, counted)
  const total = found?.count ?? countRows(db, list, actor, state)
  const open = found?.count === counted
  const size = state.size === 'all' ? Math.max(total, 1) : state.size
  const pages = Math.max(1, Math.ceil(total / size))
  const page = Math.min(state.page, pages)
  const offset = (page - 1) * size
  const slice = { offset, length: Math.min(size, total - offset) }
  const ids = found
    ? selectMatchingIds(db, list, actor, state, slice, open ? undefined : found)
    : pageIds(db, list, actor, state, slice, total)
  const loaded = ids.slice(0, limit)
  return {
    rows: sortByIds(loaded, list.rows(loaded)),
    rest: ids.slice(loaded.length),
    total,
    open,
    page,
    pages,
    from: total === 0 ? 0 : offset + 1,
    to: offset + ids.length,
  }
}

/** Every id that a search finds, in the order of the list. */
export function allIds<Row>(db: Database, list: List<Row>, actor: Actor, state: ListState): number[] {
  return idsOf(db, idsQuery(db, list, actor, state))
}

/** The query of all these ids, for whoever runs it elsewhere. */
export function idsQuery<Row>(db: Database, list: List<Row>, actor: Actor, state: ListState): SQL {
  const rows = searchQuery(db, list, actor, state)
  return rows
    ? orderedQuery(list, joinById(list, rows), undefined, state)
    : orderedQuery(list, sql`${list.table}`, conditionOf(list, actor, state), state)
}

/** How many rows of a list a person sees. */
export function totalOf<Row>(db: Database, list: List<Row>) {
  return (actor: Actor): number => countRows(db, list, actor, { q: '', filters: {} })
}

/** The condition for counting the parts of what a state finds; none where a search finds so many that this would take long. */
export function countCondition<Row>(
  db: Database,
  list: List<Row>,
  actor: Actor,
  state: SearchAndFilters,
): { where: SQL | undefined } | undefined {
  const found = searchIds(db, list, actor, state, scanLimit + 1)
  if (!found) return { where: conditionOf(list, actor, state) }
  return found.count > scanLimit ? undefined : { where: sql`${list.table.id} in (${idsFromJson(found.ids)})` }
}

function countRows<Row>(db: Database, list: List<Row>, actor: Actor, state: SearchAndFilters): number {
  const everything = list.countQuery && !state.q && !scopeAndFilters(list, actor, state.filters)
  if (everything) return selectNumber(db, list.countQuery as SQL)
  return selectNumber(db, sql`select count(*) from ${list.table} ${whereClause(conditionOf(list, actor, state))}`)
}

/** How many rows of a table meet a condition; beyond `manyRows` nobody counts on. */
export function countUpToLimit(db: Database, table: SQLiteTable, where: SQL | undefined): number {
  return countUpTo(db, sql`select 1 from ${table} ${whereClause(where)}`, countLimit + 1)
}

/** Walks from whichever end is nearer: the last page costs what the first one does. */
function pageIds<Row>(db: Database, list: List<Row>, actor: Actor, state: ListState, { offset, length }: Slice, total: number): number[] {
  if (length <= 0) return []
  const where = conditionOf(list, actor, state)
  const fromEnd = total - offset - length
  if (offset <= fromEnd) return selectIds(db, list, where, state, { length, offset })
  const dir = state.dir === 'asc' ? 'desc' : 'asc'
  return selectIds(db, list, where, { ...state, dir }, { length, offset: fromEnd }).reverse()
}

/** Rows in the order of their ids; those that are gone meanwhile are left out. */
export function sortByIds<Row extends { id: number }>(ids: number[], rows: Row[]): Row[] {
  const byId = new Map<number, Row>()
  for (const row of rows) byId.set(row.id, row)
  return ids.map((id) => byId.get(id)).filter((row) => row !== undefined)
}
