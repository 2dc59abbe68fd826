import { and, type SQL, sql } from 'drizzle-orm'
import type { Actor } from '../../core/access.ts'
import { searchWords } from '../../core/text.ts'
import type { Database } from '../../database/open.ts'
import { conditionOf, type SearchAndFilters, scopeAndFilters } from './conditions.ts'
import { countUpTo, idsOf, type Order, orderedQuery, type Slice, selectIds, whereClause } from './ordered-ids.ts'
import { matches } from './search.ts'
import type { List, ListState } from './state.ts'

/** What a search finds, in no order; the ids travel as one text. */
export interface SearchResult {
  count: number
  ids: string
}

/** For SQLite, a limit below zero is none. */
export const unlimited = -1

/** So few rows can be looked at one by one. */
export const scanLimit = 5000

export function searchIds<Row>(
  db: Database,
  list: List<Row>,
  actor: Actor,
  state: SearchAndFilters,
  limit = unlimited,
): SearchResult | undefined {
  const rows = searchQuery(db, list, actor, state)
  if (!rows) return undefined
  const [[count, ids]] = db.values<[number, string]>(sql`select count(*), json_group_array(id) from (${rows} limit ${limit})`) as [
    [number, string],
  ]
  return { count, ids }
}

/** The query of what a search finds by indexes; none where nothing is searched for or the list has no index. */
export function searchQuery<Row>(db: Database, list: List<Row>, actor: Actor, { q, filters }: SearchAndFilters): SQL | undefined {
  const words = searchWords(q)
  if (!list.findCandidates || words.length === 0) return undefined
  const narrow = scopeAndFilters(list, actor, filters)
  const own = narrow && queryIfSmall(db, sql`select ${list.table.id} from ${list.table} ${whereClause(and(list.baseCondition, narrow))}`)
  const { ids, exact } = own ? { ids: own, exact: false } : list.findCandidates(words)
  return exact && !narrow ? ids : filterCandidates(list, ids, conditionOf(list, actor, { q, filters }))
}

function queryIfSmall(db: Database, ids: SQL): SQL | undefined {
  return countUpTo(db, ids, scanLimit + 1) <= scanLimit ? ids : undefined
}

function filterCandidates<Row>(list: List<Row>, ids: SQL, where: SQL | undefined): SQL {
  return sql`select ${list.table.id} from ${joinById(list, ids)} ${whereClause(where)}`
}

/** Rows by their ids: the join says in which order to look them up, which the database might guess wrong. */
export function joinById<Row>({ table }: List<Row>, ids: SQL): SQL {
  return sql`(${ids}) as near cross join ${table} on ${table.id} = near.id`
}

export function idsFromJson(ids: string): SQL {
  return sql`select value as id from json_each(${ids})`
}

/** Where there are very many, those of a page are soon met in the order of the list, unless all stand far off; else they are sorted. */
export function selectMatchingIds<Row>(
  db: Database,
  list: List<Row>,
  actor: Actor,
  state: ListState,
  slice: Slice,
  found?: SearchResult,
): number[] {
  if (found) return sortMatchingIds(db, list, found, state, slice)
  return (
    scanMatchingIds(db, list, actor, state, slice) ??
    sortMatchingIds(db, list, searchIds(db, list, actor, state) as SearchResult, state, slice)
  )
}

function scanMatchingIds<Row>(
  db: Database,
  list: List<Row>,
  actor: Actor,
  state: ListState,
  { offset, length }: Slice,
): number[] | undefined {
  const [where, found] = [and(list.baseCondition, scopeAndFilters(list, actor, state.filters)), matches(state.q, list.find)]
  const [wanted, met] = [offset + length, [] as number[]]
  const block = { offset: 0, length: Math.max(256, 2 * wanted) }
  while (block.offset < Math.max(scanLimit, 4 * wanted)) {
    const ids = selectIds(db, list, where, state, block)
    const matchedIds = new Set(idsOf(db, filterCandidates(list, idsFromJson(JSON.stringify(ids)), found)))
    met.push(...ids.filter((id) => matchedIds.has(id)))
    if (met.length >= wanted) return met.slice(offset, wanted)
    block.offset += block.length
    block.length *= 2
  }
  return undefined
}

function sortMatchingIds<Row>(db: Database, list: List<Row>, { ids }: SearchResult, order: Order, slice?: Slice): number[] {
  return idsOf(db, orderedQuery(list, joinById(list, idsFromJson(ids)), undefined, order), slice)
}
