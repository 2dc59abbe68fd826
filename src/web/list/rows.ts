import { and, type SQL, sql } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { type Actor, scopeOf } from '../../core/access.ts'
import { searchWords } from '../../core/text.ts'
import type { Database } from '../../database/open.ts'
import { manyRows } from '../view/format.ts'
import { matches } from './search.ts'
import type { Direction, List, ListState } from './state.ts'

type Narrowing = Pick<ListState, 'q' | 'filters'>

/** The condition of a list for a person, a search and filters: nothing outside it is shown, counted, exported or deleted. */
export function conditionOf<Row>(list: List<Row>, actor: Actor, { q, filters }: Narrowing): SQL | undefined {
  return and(list.only, visible(list, actor), ...chosen(list, filters), matches(q, list.find))
}

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
  const where = conditionOf(list, actor, state)
  const reached = reach(db, list, state.q)
  const few = reached?.few ? idsOf(db, sorted(list, where, state, reached)) : undefined
  const { total, open } = few ? { total: few.length, open: false } : countRows(db, list, actor, state, where, reached)
  const size = state.size === 'all' ? Math.max(total, 1) : state.size
  const pages = Math.max(1, Math.ceil(total / size))
  const page = Math.min(state.page, pages)
  const offset = (page - 1) * size
  const length = Math.min(size, total - offset)
  const ids = few ? few.slice(offset, offset + length) : pageIds(db, list, where, state, offset, length, open ? undefined : total)
  const loaded = ids.slice(0, most)
  const rows = { rows: inOrder(loaded, list.rows(loaded)), rest: ids.slice(loaded.length) }
  return { ...rows, total, open, page, pages, from: total === 0 ? 0 : offset + 1, to: offset + ids.length }
}

/** Every id that a search finds, in the order of the list. */
export function allIds<Row>(db: Database, list: List<Row>, actor: Actor, state: ListState): number[] {
  return idsOf(db, idsQuery(db, list, actor, state))
}

/** The query of all these ids, for whoever runs it elsewhere. */
export function idsQuery<Row>(db: Database, list: List<Row>, actor: Actor, state: ListState): SQL {
  return sorted(list, conditionOf(list, actor, state), state, reach(db, list, state.q))
}

/** How many rows of a list a person sees. */
export function totalOf<Row>(db: Database, list: List<Row>) {
  return (actor: Actor): number => countAll(db, list, actor, conditionOf(list, actor, { q: '', filters: {} }))
}

/** The condition for counting the parts of what a state finds; none where a search finds so many that this would take long. */
export function countable<Row>(db: Database, list: List<Row>, actor: Actor, state: Narrowing): { where: SQL | undefined } | undefined {
  const reached = reach(db, list, state.q)
  return reached && !reached.few ? undefined : { where: within(list, reached, conditionOf(list, actor, state)) }
}

function visible<Row>(list: List<Row>, actor: Actor): SQL | undefined {
  const scope = scopeOf(list.may.list, actor)
  if (scope === 'all') return undefined
  const any = (scope as SQL[]).map((condition) => sql`(${condition})`)
  return any.length > 0 ? sql`(${sql.join(any, sql` or `)})` : sql`0`
}

function chosen<Row>({ filters = [] }: List<Row>, values: ListState['filters']): (SQL | undefined)[] {
  return filters.map(({ name, where }) => (values[name] ? where(values[name]) : undefined))
}

/** So few candidates are gathered and sorted; among more of them, walking the list in order meets enough for a page soon. */
const fewRows = 5000

interface Reached {
  ids: SQL
  few: boolean
}

/** The candidates of a search: those of all words together, or of one of them where these are fewer. */
function reach<Row>(db: Database, list: List<Row>, q: string): Reached | undefined {
  const words = searchWords(q)
  if (!list.reach || words.length === 0) return undefined
  const ways = (words.length > 1 ? [words, ...words.map((word) => [word])] : [words]).map(list.reach)
  const counted = ways.map((ids) => ({ ids, count: countUpTo(db, ids, fewRows + 1) }))
  const least = counted.reduce((best, way) => (way.count < best.count ? way : best))
  return { ids: least.ids, few: least.count <= fewRows }
}

function within<Row>({ table }: List<Row>, reached: Reached | undefined, where: SQL | undefined): SQL | undefined {
  return reached ? and(sql`${table.id} in (${reached.ids})`, where) : where
}

/** A search is counted up to where lists may say that there are more, and one row beyond the page that is asked for. */
function countRows<Row>(db: Database, list: List<Row>, actor: Actor, state: ListState, where: SQL | undefined, reached?: Reached) {
  if (!reached)
    return { total: Object.keys(state.filters).length > 0 ? countPlain(db, list, where) : countAll(db, list, actor, where), open: false }
  if (state.size === 'all') return { total: countPlain(db, list, within(list, reached, where)), open: false }
  const most = Math.max(manyRows, state.page * state.size) + 1
  const total = countUpTo(db, sql`select distinct ${list.table.id} from ${source(list, reached)} ${whereClause(where)}`, most)
  return { total, open: total === most }
}

/** How many rows of a table meet a condition; beyond `manyRows` nobody counts on. */
export function countMany(db: Database, table: SQLiteTable, where: SQL | undefined): number {
  return countUpTo(db, sql`select 1 from ${table} ${whereClause(where)}`, manyRows + 1)
}

function countUpTo(db: Database, rows: SQL, most: number): number {
  return first(db, sql`select count(*) from (${rows} limit ${most})`)
}

function countAll<Row>(db: Database, list: List<Row>, actor: Actor, where: SQL | undefined): number {
  const everything = list.tally && scopeOf(list.may.list, actor) === 'all'
  return everything ? first(db, list.tally as SQL) : countPlain(db, list, where)
}

function countPlain<Row>(db: Database, list: List<Row>, where: SQL | undefined): number {
  return first(db, sql`select count(*) from ${list.table} ${whereClause(where)}`)
}

function first(db: Database, query: SQL): number {
  return (db.values<[number | null]>(query)[0] ?? [0])[0] ?? 0
}

/** Walks from whichever end is nearer: the last page costs what the first one does. */
function pageIds<Row>(
  db: Database,
  list: List<Row>,
  where: SQL | undefined,
  state: ListState,
  offset: number,
  length: number,
  total?: number,
) {
  if (length <= 0) return []
  const fromEnd = total === undefined ? Number.POSITIVE_INFINITY : total - offset - length
  if (offset <= fromEnd) return selectIds(db, list, where, state.sort, state.dir, { length, offset })
  const opposite = state.dir === 'asc' ? 'desc' : 'asc'
  return selectIds(db, list, where, state.sort, opposite, { length, offset: fromEnd }).reverse()
}

interface Slice {
  length: number
  offset: number
}

function selectIds<Row>(db: Database, list: List<Row>, where: SQL | undefined, sort: string, dir: Direction, slice: Slice): number[] {
  const column = list.columns.find((column) => column.key === sort)
  if (column?.through) return walkThrough(db, list, where, column as Through, dir, slice)
  return idsOf(db, ordered(list, source(list), where, sort, dir), slice)
}

function sorted<Row>(list: List<Row>, where: SQL | undefined, { sort, dir }: ListState, reached?: Reached): SQL {
  return ordered(list, source(list, reached), where, sort, dir)
}

/** The table, or the candidates of a search: the join says in which order to look them up, which the database might guess wrong. */
function source<Row>({ table }: List<Row>, reached?: Reached): SQL {
  return reached ? sql`(select distinct id from (${reached.ids})) as found cross join ${table} on ${table.id} = found.id` : sql`${table}`
}

function ordered<Row>(
  { columns, table, joins, sort: initial }: List<Row>,
  from: SQL,
  where: SQL | undefined,
  sort: string,
  dir: Direction,
): SQL {
  const [by, direction] = [columns.find(({ key }) => key === sort)?.sort ?? initial.by, sql.raw(dir)]
  const order = by ? sql`${by} ${direction}, ${table.id} ${direction}` : sql`${table.id} ${direction}`
  return sql`select ${table.id} from ${from} ${joins ?? sql``} ${whereClause(where)} order by ${order}`
}

type Through = Required<Pick<List<unknown>['columns'][number], 'sort' | 'through'>>

/** Rows that point at nothing come first, then those of each row of the other table, in its order: no sorting at all. */
function walkThrough<Row>(
  db: Database,
  { table }: List<Row>,
  where: SQL | undefined,
  { sort, through }: Through,
  dir: Direction,
  slice: Slice,
) {
  const direction = sql.raw(dir)
  const none = and(sql`${through.column} is null`, where)
  const bare = sql`select ${table.id} from ${table} where ${none} order by ${table.id} ${direction}`
  const linked = sql`select ${table.id} from ${through.table} cross join ${table} on ${through.column} = ${through.table.id} ${whereClause(where)}
    order by ${sort} ${direction}, ${through.table.id} ${direction}, ${table.id} ${direction}`
  const [nearer, farther] = dir === 'asc' ? [bare, linked] : [linked, bare]
  const ids = idsOf(db, nearer, slice)
  if (ids.length === slice.length) return ids
  const passed = ids.length > 0 ? slice.offset + ids.length : first(db, sql`select count(*) from (${nearer})`)
  return [...ids, ...idsOf(db, farther, { length: slice.length - ids.length, offset: Math.max(0, slice.offset - passed) })]
}

function idsOf(db: Database, query: SQL, slice?: Slice): number[] {
  const limited = slice ? sql`${query} limit ${slice.length} offset ${slice.offset}` : query
  return db.values<[number]>(limited).map(([id]) => id)
}

function whereClause(where: SQL | undefined): SQL {
  return where ? sql`where ${where}` : sql``
}

/** Rows in the order of their ids; those that are gone meanwhile are left out. */
export function inOrder<Row extends { id: number }>(ids: number[], rows: Row[]): Row[] {
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}
