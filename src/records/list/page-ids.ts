import { and, type SQL, sql } from 'drizzle-orm'
import { searchWords } from '../../core/text.ts'
import { type SearchIndex, textContains } from '../../database/search-index.ts'
import { conditionOf, joinById, orderedIds, scopeAndFilters, sortedIds } from './query.ts'
import { idsFromJson, type ListQuery, type MatchingIds, type Slice, scanLimit, search, searchQuery, selectIds } from './search.ts'

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

/** Reads from the nearer end, so that the last page costs as much as the first. */
export function pageIds<Row>({ db, list, actor, state }: ListQuery<Row>, { offset, length }: Slice, total: number): number[] {
  if (length <= 0) return []
  const where = conditionOf(list, actor, state)
  const fromEnd = total - offset - length
  if (offset <= fromEnd) return selectIds(db, orderedIds(list, where, state), { length, offset })
  const dir = state.dir === 'asc' ? 'desc' : 'asc'
  return selectIds(db, orderedIds(list, where, { ...state, dir, reversed: true }), { length, offset: fromEnd }).reverse()
}

/** With many matches, walking the list in order soon meets a page of them, unless all are far away. */
export function matchingPageIds<Row>(query: ListQuery<Row>, slice: Slice, found?: MatchingIds): number[] {
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
