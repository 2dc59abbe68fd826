import { and, type SQL, sql } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { type Actor, scopeOf } from '../../core/access.ts'
import type { Database } from '../../database/open.ts'
import { manyRows } from '../view/format.ts'
import { matches } from './search.ts'
import type { Direction, List, ListState } from './state.ts'

type Narrowing = Pick<ListState, 'q' | 'filters'>

/** The condition of a list for a person, a search and filters: nothing outside it is shown, counted, exported or deleted. */
export function conditionOf<Row>(list: List<Row>, actor: Actor, { q, filters }: Narrowing): SQL | undefined {
  const chosen = (list.filters ?? []).map(({ name, where }) => (filters[name] ? where(filters[name]) : undefined))
  return and(list.only, visible(list, actor), ...chosen, matches(q, list.find))
}

/** The page that a state names, loaded through the actor; a page past the end is the last one. */
export function loadPage<Row extends { id: number }>(db: Database, list: List<Row>, actor: Actor, state: ListState) {
  const where = conditionOf(list, actor, state)
  const total = countRows(db, list, where)
  const size = state.size === 'all' ? Math.max(total, 1) : state.size
  const pages = Math.max(1, Math.ceil(total / size))
  const page = Math.min(state.page, pages)
  const offset = (page - 1) * size
  const ids = pageIds(db, list, where, state, offset, Math.min(size, total - offset), total)
  return { rows: inOrder(ids, list.rows(ids)), total, page, pages, from: total === 0 ? 0 : offset + 1, to: offset + ids.length }
}

/** Every id that a search finds, in the order of the list. */
export function allIds<Row>(db: Database, list: List<Row>, actor: Actor, state: ListState): number[] {
  return selectIds(db, list, conditionOf(list, actor, state), state.sort, state.dir, sql``)
}

/** How many rows of a list a person sees. */
export function totalOf<Row>(db: Database, list: List<Row>) {
  return (actor: Actor): number => countRows(db, list, conditionOf(list, actor, { q: '', filters: {} }))
}

/** How many rows of a table meet a condition; beyond `manyRows` nobody counts on. */
export function countMany(db: Database, table: SQLiteTable, where: SQL | undefined): number {
  const [row] = db.all<{ rows: number }>(
    sql`select count(*) as rows from (select 1 from ${table} ${whereClause(where)} limit ${manyRows + 1})`,
  )
  return row?.rows ?? 0
}

function countRows<Row>(db: Database, list: List<Row>, where: SQL | undefined): number {
  const [row] = db.all<{ total: number }>(sql`select count(*) as total from ${list.table} ${whereClause(where)}`)
  return row?.total ?? 0
}

function visible<Row>(list: List<Row>, actor: Actor): SQL | undefined {
  const scope = scopeOf(list.may.list, actor)
  if (scope === 'all') return undefined
  const any = (scope as SQL[]).map((condition) => sql`(${condition})`)
  return any.length > 0 ? sql`(${sql.join(any, sql` or `)})` : sql`0`
}

/** Walks from whichever end is nearer: the last page costs what the first one does. */
function pageIds<Row>(
  db: Database,
  list: List<Row>,
  where: SQL | undefined,
  state: ListState,
  offset: number,
  length: number,
  total: number,
): number[] {
  if (length <= 0) return []
  const fromEnd = total - offset - length
  if (offset <= fromEnd) return selectIds(db, list, where, state.sort, state.dir, sql`limit ${length} offset ${offset}`)
  const opposite = state.dir === 'asc' ? 'desc' : 'asc'
  return selectIds(db, list, where, state.sort, opposite, sql`limit ${length} offset ${fromEnd}`).reverse()
}

function selectIds<Row>(db: Database, list: List<Row>, where: SQL | undefined, sort: string, dir: Direction, limit: SQL): number[] {
  const by = list.columns.find((column) => column.key === sort)?.sort ?? list.sort.by
  const direction = sql.raw(dir)
  const order = by ? sql`${by} ${direction}, ${list.table.id} ${direction}` : sql`${list.table.id} ${direction}`
  const query = sql`select ${list.table.id} as id from ${list.table} ${list.joins ?? sql``} ${whereClause(where)} order by ${order} ${limit}`
  return db.all<{ id: number }>(query).map((row) => row.id)
}

function whereClause(where: SQL | undefined): SQL {
  return where ? sql`where ${where}` : sql``
}

function inOrder<Row extends { id: number }>(ids: number[], rows: Row[]): Row[] {
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}
