import { and, type SQL, sql } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { Actor } from '../../core/access.ts'
import { searchWords } from '../../core/text.ts'
import { cachedUntilWrite, type Database, selectRows } from '../../database/index.ts'
import { matchingIds, type SearchIndex, textContains } from '../../database/search-index.ts'
import type { Context } from '../../http/request/context.ts'
import { countLimit } from '../../i18n/format.ts'
import type { List, ListState, Rows, Selection } from './list.ts'
import { conditionOf, hasIndex, joinById, orderedIds, type SearchAndFilters, scopeAndFilters, sortedIds, whereClause } from './query.ts'
import { readState } from './state.ts'

/** SQLite reads a negative limit as none. */
export const unlimited = -1

/** Up to so many rows are scanned rather than searched by the index. */
export const scanLimit = 5000

interface Slice {
  length: number
  offset: number
}

/** What somebody wants to see of a list. */
export interface ListQuery<Row> {
  db: Database
  list: List<Row>
  actor: Actor
  state: ListState
}

type SearchQuery<Row> = Omit<ListQuery<Row>, 'state'> & { state: SearchAndFilters }

/** Of the ids that are given, or of those that its query finds; of a page with all rows only the first part is loaded then. */
export function loadPage<Row extends { id: number }>(context: Context, list: List<Row>, state: ListState, all?: number[]) {
  const query = { db: context.server.db, list, actor: context.actor, state }
  if (state.size === 'all') return loadAll(context, list, all ?? selectIds(query.db, idsQuery(query)), all && part)
  const { size } = state
  if (all) return loadPageOf(context, list, { page: state.page, size }, all)
  const counted = Math.max(countLimit, state.page * size) + 1
  const found = search(query, counted)
  const filtered = Object.keys(state.filters).length > 0
  const total = found?.count ?? countRows(query, filtered ? counted : unlimited)
  const open = (found !== undefined || filtered) && total === counted
  const pages = Math.max(1, Math.ceil(total / size))
  const page = Math.min(state.page, pages)
  const offset = (page - 1) * size
  const slice = { offset, length: Math.min(size, total - offset) }
  const ids = found
    ? matchingPageIds(query, slice, open ? undefined : found)
    : filtered
      ? filteredPageIds(query, slice, total, open)
      : pageIds(query, slice, total)
  const rows = loadRows(context, list, ids)
  return { rows, rest: [], total, open, page, pages, from: total === 0 ? 0 : offset + 1, to: offset + ids.length }
}

function loadPageOf<Row extends { id: number }>(context: Context, list: List<Row>, wanted: { page: number; size: number }, all: number[]) {
  const total = all.length
  const pages = Math.max(1, Math.ceil(total / wanted.size))
  const page = Math.min(wanted.page, pages)
  const offset = (page - 1) * wanted.size
  const ids = all.slice(offset, offset + wanted.size)
  const rows = loadRows(context, list, ids)
  return { rows, rest: [], total, open: false, page, pages, from: total === 0 ? 0 : offset + 1, to: offset + ids.length }
}

/** Rows that a query reads by its placeholder `ids`; a spreadsheet takes its cells from it, too. */
export function readRows<Stored, Row = Stored>(
  fields: Selection['fields'],
  query: Selection['query'] & { prepare: () => { all: (values: { ids: string }) => Stored[] } },
  describe: (rows: Stored[], context: Context) => Row[] = (rows) => rows as never,
): Rows<Row> {
  const prepared = query.prepare()
  return { selection: { fields, query }, load: (ids, context) => describe(prepared.all({ ids: JSON.stringify(ids) }), context) }
}

/** Rows of a long page that are loaded at once. */
export const part = 100

function loadAll<Row extends { id: number }>(context: Context, list: List<Row>, ids: number[], limit = ids.length) {
  const total = ids.length
  const rows = loadRows(context, list, ids.slice(0, limit))
  return { rows, rest: ids.slice(limit), total, open: false, page: 1, pages: 1, from: Math.min(total, 1), to: total }
}

/** Rows in the order of their ids, without those deleted meanwhile. */
export function loadRows<Row extends { id: number }>(context: Context, list: List<Row>, ids: number[]): Row[] {
  return sortByIds(ids, list.rows.load(ids, context))
}

/** Of a page with all rows, only so many are looked through for neighbors. */
const neighborLimit = 1000

/** The ids before and after a row on a page of the list and at its edges; none when the page no longer holds the row. */
export function neighborsOf<Row>(query: ListQuery<Row>, id: number) {
  const { state } = query
  const size = state.size === 'all' ? neighborLimit : state.size
  const start = (state.page - 1) * size
  const offset = Math.max(0, start - 1)
  const ids = sliceIds(query, { offset, length: start + size + 1 - offset })
  const at = ids.indexOf(id)
  return at < 0 ? {} : { previous: ids[at - 1], next: ids[at + 1] }
}

export function sliceIds<Row>(query: ListQuery<Row>, { offset, length }: Slice): number[] {
  const found = search(query, scanLimit)
  if (!found) return pageIds(query, { offset, length }, Number.POSITIVE_INFINITY)
  const slice = { offset, length: Math.max(0, Math.min(length, found.count - offset)) }
  return matchingPageIds(query, slice, found.count === scanLimit ? undefined : found)
}

export function idsQuery<Row>(query: ListQuery<Row>): SQL {
  const { list, actor, state } = query
  const matches = searchQuery(query)
  return matches ? sortedIds(list, joinById(list, matches), undefined, state) : orderedIds(list, conditionOf(list, actor, state), state)
}

/** How many rows the list of a query such as `waiting=1` has for somebody, up to one above the limit. */
export function countOf<Row>(db: Database, list: List<Row>, actor: Actor, address: string, limit = countLimit): number {
  return countOfState({ db, list, actor, state: readState(list, new URLSearchParams(address), actor) }, limit)
}

export function countOfState<Row>(query: SearchQuery<Row>, limit = countLimit): number {
  return search(query, limit + 1)?.count ?? countRows(query, limit + 1)
}

export function countCondition<Row>(query: SearchQuery<Row>): { where: SQL | undefined } | undefined {
  const { list, actor, state } = query
  const found = search(query, scanLimit + 1)
  if (!found) return { where: conditionOf(list, actor, state) }
  return found.count > scanLimit ? undefined : { where: sql`${list.table.id} in (${idsFromJson(found.ids)})` }
}

export function countUpToLimit(db: Database, table: SQLiteTable, where: SQL | undefined): number {
  return countUpTo(db, sql`select 1 from ${table} ${whereClause(where)}`, countLimit + 1)
}

export function sortByIds<Row extends { id: number }>(ids: number[], rows: Row[]): Row[] {
  const byId = new Map<number, Row>()
  for (const row of rows) byId.set(row.id, row)
  return ids.map((id) => byId.get(id)).filter((row) => row !== undefined)
}

function countRows<Row>({ db, list, actor, state }: SearchQuery<Row>, limit = unlimited): number {
  const where = whereClause(conditionOf(list, actor, state))
  const count = () => selectNumber(db, sql`select count(*) from ${list.table} ${where}`)
  if (isConstant(list) && !state.q && !scopeAndFilters(list, actor, state.filters))
    return cachedUntilWrite(db, `number of ${list.name}`, count)
  return limit === unlimited ? count() : countUpTo(db, sql`select 1 from ${list.table} ${where}`, limit)
}

/** Which records a list has depends on nothing else; which events, on person and time as well. */
const isConstant = <Row>({ place, rows, baseCondition }: List<Row>) => !place && !(rows.events && baseCondition)

/** Reads from the nearer end, so that the last page costs as much as the first. */
function pageIds<Row>({ db, list, actor, state }: ListQuery<Row>, { offset, length }: Slice, total: number): number[] {
  if (length <= 0) return []
  const where = conditionOf(list, actor, state)
  const fromEnd = total - offset - length
  if (offset <= fromEnd) return selectIds(db, orderedIds(list, where, state), { length, offset })
  const dir = state.dir === 'asc' ? 'desc' : 'asc'
  return selectIds(db, orderedIds(list, where, { ...state, dir, reversed: true }), { length, offset: fromEnd }).reverse()
}

interface MatchingIds {
  count: number
  ids: string
}

function search<Row>(query: SearchQuery<Row>, limit: number): MatchingIds | undefined {
  const matches = searchQuery(query)
  if (!matches) return undefined
  const rows = sql`select count(*), json_group_array(id) from (select id from (${matches}) limit +${limit})`
  const [[count, ids]] = selectRows<[number, string]>(query.db, rows) as [[number, string]]
  return { count, ids }
}

function searchQuery<Row>({ db, list, actor, state: { q, filters } }: SearchQuery<Row>): SQL | undefined {
  const words = searchWords(q)
  if (!hasIndex(list.find) || words.length === 0) return undefined
  const narrow = scopeAndFilters(list, actor, filters)
  const matches = matchingIds(list.find, words)
  if (!narrow) return matches
  const where = whereClause(and(list.baseCondition, narrow))
  const own = sql`select ${list.table.id} from ${list.table} ${where}`
  if (countUpTo(db, own, scanLimit + 1) <= scanLimit)
    return sql`select own.id from (${own}) as own where ${textContains(list.find, sql`own.id`, words)}`
  return sql`select ${list.table.id} from ${joinById(list, matches)} ${where}`
}

/** With many matches, walking the list in order soon meets a page of them, unless all are far away. */
function matchingPageIds<Row>(query: ListQuery<Row>, slice: Slice, found?: MatchingIds): number[] {
  const { db, list, state } = query
  const wanted = 4 * (slice.offset + slice.length)
  const rows = found ? Math.min(found.count, scanLimit) : Math.max(scanLimit, wanted)
  const scanned = wanted <= rows ? scanInOrder(query, slice, rows) : undefined
  const ids = found ? idsFromJson(found.ids) : (searchQuery(query) as SQL)
  return scanned ?? selectIds(db, sortedIds(list, joinById(list, ids), undefined, state), slice)
}

/** Gives up after as many rows as sorting the matches would cost. */
function scanInOrder<Row>({ db, list, actor, state }: ListQuery<Row>, slice: Slice, scanned: number): number[] | undefined {
  const rows = orderedIds(list, and(list.baseCondition, scopeAndFilters(list, actor, state.filters)), state)
  const matches = textContains(list.find as SearchIndex, sql`near.id`, searchWords(state.q))
  const ids = selectIds(db, sql`select near.id from (${rows} limit +${scanned}) as near where ${matches}`, slice)
  return ids.length === slice.length ? ids : undefined
}

/**
 * A page of many filtered rows is soon met in the order of the list, while SQLite would rather sort all of them; few are soon sorted,
 * while SQLite would rather walk the list until it has met them.
 */
function filteredPageIds<Row>(query: ListQuery<Row>, slice: Slice, total: number, open: boolean): number[] {
  const { db, list, actor, state } = query
  const through = list.columns.find(({ key }) => key === state.sort)?.through
  if (through || (!open && scopeAndFilters(list, actor, {}))) return pageIds(query, slice, total)
  const scanned = scanFilters(query, slice, Math.min(total, scanLimit))
  if (scanned) return scanned
  if (open) return pageIds(query, slice, Number.POSITIVE_INFINITY)
  const matches = sql`select ${list.table.id} from ${list.table} ${whereClause(conditionOf(list, actor, state))} limit -1`
  return selectIds(db, sortedIds(list, joinById(list, matches), undefined, state), slice)
}

/** Gives up after as many rows as sorting the matches would cost. */
function scanFilters<Row>({ db, list, actor, state }: ListQuery<Row>, slice: Slice, scanned: number): number[] | undefined {
  if (4 * (slice.offset + slice.length) > scanned) return undefined
  const fits = conditionOf(list, actor, state)
  const within = (list.filters ?? []).map(({ name, within }) => within?.(state.filters[name] ?? '')?.[state.sort])
  const rows = sql`${sortedIds(list, sql`${list.table}`, and(...within), state, sql`, (${fits}) as fits`)} limit +${scanned}`
  const ids = selectIds(db, sql`select id from (${rows}) where fits`, slice)
  return ids.length === slice.length ? ids : undefined
}

export function idsFromJson(ids: string): SQL {
  return sql`select value as id from json_each(${ids})`
}

export function selectIds(db: Database, query: SQL, { length, offset }: Slice = { length: unlimited, offset: 0 }): number[] {
  return selectRows<[number]>(db, sql`${query} limit +${length} offset +${offset}`).map(([id]) => id)
}

export function countUpTo(db: Database, rows: SQL, limit: number): number {
  return selectNumber(db, sql`select count(*) from (${rows} limit +${limit})`)
}

function selectNumber(db: Database, query: SQL): number {
  return selectRows<[number | null]>(db, query)[0]?.[0] ?? 0
}
