import { and, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { type Actor, allows, scopeOf } from '../../core/access.ts'
import { searchWords } from '../../core/text.ts'
import { containsWords } from '../../database/conditions.ts'
import { matchingIds, type SearchIndex } from '../../database/search-index.ts'
import type { Context } from '../../http/request/context.ts'
import type { AnyList, List, ListState } from './list.ts'

export type SearchAndFilters = Pick<ListState, 'q' | 'filters'>

/** The condition for this actor, search and filters, if any; whatever a list shows, counts, exports or deletes must meet it. */
export function conditionOf<Row>(list: List<Row>, actor: Actor, { q = '', filters }: Partial<SearchAndFilters> = {}): SQL | undefined {
  return and(list.baseCondition, scopeAndFilters(list, actor, filters), searchCondition(list, q))
}

export function scopeAndFilters<Row>(list: List<Row>, actor: Actor, filters: ListState['filters'] = {}): SQL | undefined {
  const chosen = (list.filters ?? []).map(({ name, where }) => (filters[name] ? where(filters[name], actor) : undefined))
  return and(scopeCondition(list, actor), ...chosen)
}

/**
 * The condition for records that a filter may name: those that their own list shows this person, and those that `named` selects, the ids
 * in the rows that they see.
 */
export function mayBeNamed({ server, actor }: Context, listName: string, id: SQLiteColumn, named: SQL): SQL | undefined {
  const list = server.records.get(listName)?.list
  const listed = list && allows(list.may.list, actor) ? conditionOf(list, actor) : sql`false`
  return listed && sql`(${listed} or ${id} in (${named}))`
}

function scopeCondition<Row>(list: List<Row>, actor: Actor): SQL | undefined {
  const scope = scopeOf(list.may.list, actor)
  if (scope === 'all') return undefined
  const any = (scope as SQL[]).map((condition) => sql`(${condition})`)
  return any.length > 0 ? sql`(${sql.join(any, sql` or `)})` : sql`0`
}

function searchCondition<Row>({ table, find }: List<Row>, q: string): SQL | undefined {
  const words = searchWords(q)
  if (words.length === 0) return undefined
  if (hasIndex(find)) return sql`${table.id} in (${matchingIds(find, words)})`
  if (typeof find === 'function') return and(...words.map(find))
  return containsWords(sql`concat_ws(char(10), ${sql.join([...find], sql`, `)})`, words)
}

export const hasIndex = (find: AnyList['find']): find is SearchIndex => typeof find === 'string'

export function whereClause(where: SQL | undefined): SQL {
  return where ? sql`where ${where}` : sql``
}
