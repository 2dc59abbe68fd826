import { and, type SQL, sql } from 'drizzle-orm'
import { searchWords } from '../../core/text.ts'
import { type SearchIndex, textContains } from '../../database/search-index.ts'
import type { Context } from '../../http/request/context.ts'
import { countLimit } from '../../i18n/format.ts'
import { conditionOf, scopeAndFilters, whereClause } from './conditions.ts'
import { countRows } from './count.ts'
import {
  idsFromJson,
  idsQuery,
  joinById,
  type ListQuery,
  type MatchingIds,
  orderedIds,
  type Slice,
  scanLimit,
  search,
  searchQuery,
  selectIds,
  unlimited,
} from './ids.ts'
import type { List, ListState } from './list.ts'
import { part } from './rows.ts'

/** What of a list stands on a page. */
export type Page = ReturnType<typeof findPage>

export function findPage<Row>(context: Context, list: List<Row>, state: ListState) {
  const query = { db: context.server.db, list, actor: context.actor, state }
  const { size } = state
  if (size === 'all') return wholePage(selectIds(query.db, idsQuery(query)))
  const counted = Math.max(countLimit, state.page * size) + 1
  const found = search(query, counted)
  const filtered = Object.keys(state.filters).length > 0
  const total = found?.count ?? countRows(query, filtered ? counted : unlimited)
  const open = (found !== undefined || filtered) && total === counted
  const place = placeOf(total, size, state.page)
  if (found) return pageOf(place, matchingPageIds(query, place, open ? undefined : found), open)
  return pageOf(place, filtered ? filteredPageIds(query, place, total, open) : pageIds(query, place, total), open)
}

/** Of all ids that a list finds; of a page with all rows only the first part is shown at once. */
export function pageOfIds(ids: number[], { size, page }: ListState): Page {
  if (size === 'all') return wholePage(ids, part)
  const place = placeOf(ids.length, size, page)
  return pageOf(place, ids.slice(place.offset, place.offset + size))
}

type Place = ReturnType<typeof placeOf>

function placeOf(total: number, size: number, asked: number) {
  const pages = Math.max(1, Math.ceil(total / size))
  const page = Math.min(asked, pages)
  const offset = (page - 1) * size
  return { total, pages, page, offset, length: Math.min(size, total - offset) }
}

/** @param open whether there may be more than were counted */
function pageOf({ total, pages, page, offset }: Place, ids: number[], open = false) {
  return { ids, rest: [] as number[], total, open, page, pages, from: total === 0 ? 0 : offset + 1, to: offset + ids.length }
}

function wholePage(ids: number[], limit = ids.length): ReturnType<typeof pageOf> {
  const total = ids.length
  return { ids: ids.slice(0, limit), rest: ids.slice(limit), total, open: false, page: 1, pages: 1, from: Math.min(total, 1), to: total }
}

export function sliceIds<Row>(query: ListQuery<Row>, { offset, length }: Slice): number[] {
  const found = search(query, scanLimit)
  if (!found) return pageIds(query, { offset, length }, Number.POSITIVE_INFINITY)
  const slice = { offset, length: Math.max(0, Math.min(length, found.count - offset)) }
  return matchingPageIds(query, slice, found.count === scanLimit ? undefined : found)
}

/** Reads from the nearer end, so that the last page costs as much as the first. */
function pageIds<Row>({ db, list, actor, state }: ListQuery<Row>, { offset, length }: Slice, total: number): number[] {
  if (length <= 0) return []
  const where = conditionOf(list, actor, state)
  const fromEnd = total - offset - length
  if (offset <= fromEnd) return selectIds(db, orderedIds(list, where, state), { length, offset })
  const dir = state.dir === 'asc' ? 'desc' : 'asc'
  return selectIds(db, orderedIds(list, where, { ...state, dir, reversed: true }), { length, offset: fromEnd }).reverse()
}

/** With many matches, walking the list in order soon meets a page of them, unless all are far away. */
function matchingPageIds<Row>(query: ListQuery<Row>, slice: Slice, found?: MatchingIds): number[] {
  const { db, list, state } = query
  const wanted = 4 * (slice.offset + slice.length)
  const rows = found ? Math.min(found.count, scanLimit) : Math.max(scanLimit, wanted)
  const scanned = wanted <= rows ? scanInOrder(query, slice, rows) : undefined
  const ids = found ? idsFromJson(found.ids) : (searchQuery(query) as SQL)
  return scanned ?? selectIds(db, orderedIds(list, undefined, state, joinById(list, ids)), slice)
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
  if (through || (!open && total > scanLimit && scopeAndFilters(list, actor))) return pageIds(query, slice, total)
  const scanned = scanFilters(query, slice, Math.min(total, scanLimit))
  if (scanned) return scanned
  if (open) return pageIds(query, slice, Number.POSITIVE_INFINITY)
  const matches = sql`select ${list.table.id} from ${list.table} ${whereClause(conditionOf(list, actor, state))} limit -1`
  return selectIds(db, orderedIds(list, undefined, state, joinById(list, matches)), slice)
}

/** Gives up after as many rows as sorting the matches would cost. */
function scanFilters<Row>({ db, list, actor, state }: ListQuery<Row>, slice: Slice, scanned: number): number[] | undefined {
  if (4 * (slice.offset + slice.length) > scanned) return undefined
  const fits = conditionOf(list, actor, state)
  const within = (list.filters ?? []).map(({ name, within }) => within?.(state.filters[name] ?? '')?.[state.sort])
  const rows = sql`${orderedIds(list, and(...within), state, sql`${list.table}`, sql`, (${fits}) as fits`)} limit +${scanned}`
  const ids = selectIds(db, sql`select id from (${rows}) where fits`, slice)
  return ids.length === slice.length ? ids : undefined
}
