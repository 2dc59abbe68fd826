import { type SQL, sql } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { Actor } from '../../core/access.ts'
import type { Database } from '../../database/open.ts'
import { manyRows } from '../view/format.ts'
import { conditionOf, type Narrowing, narrowing } from './conditions.ts'
import { fewRows, foundIds, listed, search, searched, source, unlimited } from './found.ts'
import type { List, ListState } from './state.ts'
import { countUpTo, first, idsOf, ordered, type Slice, selectIds, whereClause } from './walk.ts'

/**
 * The page that a state names, loaded through the actor; a page past the end is the last one. Of a search that finds
 * very many, `open` says that there are more than `total`.
 * @param most so many rows are loaded; of those after them `rest` has the ids
 */
export function loadPage<Row extends { id: number }>(
  db: Database,
  list: List<Row>,
  actor: Actor,
  state: ListState,
  most = Number.POSITIVE_INFINITY,
) {
  const counted = state.size === 'all' ? unlimited : Math.max(manyRows, state.page * state.size) + 1
  const found = search(db, list, actor, state, counted)
  const total = found?.count ?? countRows(db, list, actor, state)
  const open = found?.count === counted
  const size = state.size === 'all' ? Math.max(total, 1) : state.size
  const pages = Math.max(1, Math.ceil(total / size))
  const page = Math.min(state.page, pages)
  const offset = (page - 1) * size
  const slice = { offset, length: Math.min(size, total - offset) }
  const ids = found ? foundIds(db, list, actor, state, slice, open ? undefined : found) : pageIds(db, list, actor, state, slice, total)
  const loaded = ids.slice(0, most)
  return {
    rows: inOrder(loaded, list.rows(loaded)),
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
  const rows = searched(db, list, actor, state)
  return rows
    ? ordered(list, source(list, rows), undefined, state)
    : ordered(list, sql`${list.table}`, conditionOf(list, actor, state), state)
}

/** How many rows of a list a person sees. */
export function totalOf<Row>(db: Database, list: List<Row>) {
  return (actor: Actor): number => countRows(db, list, actor, { q: '', filters: {} })
}

/** The condition for counting the parts of what a state finds; none where a search finds so many that this would take long. */
export function countable<Row>(db: Database, list: List<Row>, actor: Actor, state: Narrowing): { where: SQL | undefined } | undefined {
  const found = search(db, list, actor, state, fewRows + 1)
  if (!found) return { where: conditionOf(list, actor, state) }
  return found.count > fewRows ? undefined : { where: sql`${list.table.id} in (${listed(found.ids)})` }
}

function countRows<Row>(db: Database, list: List<Row>, actor: Actor, state: Narrowing): number {
  const everything = list.tally && !state.q && !narrowing(list, actor, state.filters)
  if (everything) return first(db, list.tally as SQL)
  return first(db, sql`select count(*) from ${list.table} ${whereClause(conditionOf(list, actor, state))}`)
}

/** How many rows of a table meet a condition; beyond `manyRows` nobody counts on. */
export function countMany(db: Database, table: SQLiteTable, where: SQL | undefined): number {
  return countUpTo(db, sql`select 1 from ${table} ${whereClause(where)}`, manyRows + 1)
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
export function inOrder<Row extends { id: number }>(ids: number[], rows: Row[]): Row[] {
  const byId = new Map<number, Row>()
  for (const row of rows) byId.set(row.id, row)
  return ids.map((id) => byId.get(id)).filter((row) => row !== undefined)
}
