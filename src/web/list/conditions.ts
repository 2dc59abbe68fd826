import { and, type SQL, sql } from 'drizzle-orm'
import { type Actor, scopeOf } from '../../core/access.ts'
import { matches } from './search.ts'
import type { List, ListState } from './state.ts'

export type Narrowing = Pick<ListState, 'q' | 'filters'>

/** The condition of a list for a person, a search and filters: nothing outside it is shown, counted, exported or deleted. */
export function conditionOf<Row>(list: List<Row>, actor: Actor, { q, filters }: Narrowing): SQL | undefined {
  const more = and(narrowing(list, actor, filters), matches(q, list.find))
  return more ? and(list.only, more) : list.only
}

/** What a person may see of a list, and what its filters leave of that; nothing where that is everything. */
export function narrowing<Row>(list: List<Row>, actor: Actor, filters: ListState['filters']): SQL | undefined {
  return and(visible(list, actor), ...chosen(list, filters))
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
