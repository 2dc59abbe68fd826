import { and, type SQL, sql } from 'drizzle-orm'
import { type Actor, scopeOf } from '../../core/access.ts'
import { matches } from './search.ts'
import type { List, ListState } from './state.ts'

export type SearchAndFilters = Pick<ListState, 'q' | 'filters'>

/** The condition of a list for a person, a search and filters: nothing outside it is shown, counted, exported or deleted. */
export function conditionOf<Row>(list: List<Row>, actor: Actor, { q, filters }: SearchAndFilters): SQL | undefined {
  const more = and(scopeAndFilters(list, actor, filters), matches(q, list.find))
  return more ? and(list.baseCondition, more) : list.baseCondition
}

/** What a person may see of a list, and what its filters leave of that; nothing where that is everything. */
export function scopeAndFilters<Row>(list: List<Row>, actor: Actor, filters: ListState['filters']): SQL | undefined {
  return and(scopeCondition(list, actor), ...filterConditions(list, filters))
}

function scopeCondition<Row>(list: List<Row>, actor: Actor): SQL | undefined {
  const scope = scopeOf(list.may.list, actor)
  if (scope === 'all') return undefined
  const any = (scope as SQL[]).map((condition) => sql`(${condition})`)
  return any.length > 0 ? sql`(${sql.join(any, sql` or `)})` : sql`0`
}

function filterConditions<Row>({ filters = [] }: List<Row>, values: ListState['filters']): (SQL | undefined)[] {
  return filters.map(({ name, where }) => (values[name] ? where(values[name]) : undefined))
}
