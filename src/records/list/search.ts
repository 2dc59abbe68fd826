import { and, type SQL, sql } from 'drizzle-orm'
import type { Actor } from '../../core/access.ts'
import { searchWords } from '../../core/text.ts'
import { type Database, selectRows } from '../../database/index.ts'
import { matchingIds, textContains } from '../../database/search-index.ts'
import type { List, ListState } from './list.ts'
import { hasIndex, joinById, type SearchAndFilters, scopeAndFilters, whereClause } from './query.ts'

/** SQLite reads a negative limit as none. */
export const unlimited = -1

/** Up to so many rows are scanned rather than searched by the index. */
export const scanLimit = 5000

export interface Slice {
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

export type SearchQuery<Row> = Omit<ListQuery<Row>, 'state'> & { state: SearchAndFilters }

export interface MatchingIds {
  count: number
  ids: string
}

export function search<Row>(query: SearchQuery<Row>, limit: number): MatchingIds | undefined {
  const matches = searchQuery(query)
  if (!matches) return undefined
  const rows = sql`select count(*), json_group_array(id) from (select id from (${matches}) limit +${limit})`
  const [[count, ids]] = selectRows<[number, string]>(query.db, rows) as [[number, string]]
  return { count, ids }
}

export function searchQuery<Row>({ db, list, actor, state: { q, filters } }: SearchQuery<Row>): SQL | undefined {
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

export function idsFromJson(ids: string): SQL {
  return sql`select value as id from json_each(${ids})`
}

export function selectIds(db: Database, query: SQL, { length, offset }: Slice = { length: unlimited, offset: 0 }): number[] {
  return selectRows<[number]>(db, sql`${query} limit +${length} offset +${offset}`).map(([id]) => id)
}

export function countUpTo(db: Database, rows: SQL, limit: number): number {
  return selectNumber(db, sql`select count(*) from (${rows} limit +${limit})`)
}

export function selectNumber(db: Database, query: SQL): number {
  return selectRows<[number | null]>(db, query)[0]?.[0] ?? 0
}
