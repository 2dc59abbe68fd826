import { and, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { type Actor, allows, scopeOf } from '../../core/access.ts'
import { searchWords } from '../../core/text.ts'
import { containsWords } from '../../database/conditions.ts'
import { matchingIds, type SearchIndex } from '../../database/search-index.ts'
import type { Context } from '../../http/request/context.ts'
import { isEmptyLast } from '../../view/column-kinds.ts'
import type { AnyList, Column, Direction, List, ListState } from './list.ts'

export type SearchAndFilters = Pick<ListState, 'q' | 'filters'>
type Order = Pick<ListState, 'sort' | 'dir'> & {
  reversed?: boolean
}

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

export function orderedIds<Row>(list: List<Row>, where: SQL | undefined, order: Order): SQL {
  const column = list.columns.find(({ key }) => key === order.sort)
  return column?.through
    ? orderedIdsThrough(list, where, column as ThroughColumn, order.dir)
    : sortedIds(list, sql`${list.table}`, where, order)
}

type ThroughColumn = Required<Pick<Column, 'sort' | 'through'>>

/** Reads rows through the index of their foreign key, in the order of the other table, so that nothing is sorted. */
function orderedIdsThrough<Row>({ table }: List<Row>, where: SQL | undefined, { sort, through }: ThroughColumn, dir: Direction): SQL {
  const direction = sql.raw(dir)
  const none = and(sql`${through.column} is null`, where)
  const bare = sql`select ${table.id} from ${table} where ${none} order by ${table.id} ${direction}`
  const linked = sql`select ${table.id} from ${through.table} cross join ${table} on ${through.column} = ${through.table.id} ${whereClause(where)}
    order by ${sort} ${direction}, ${through.table.id} ${direction}, ${table.id} ${direction}`
  const [first, last] = dir === 'asc' ? [bare, linked] : [linked, bare]
  return sql`select id from (${first} limit -1) union all select id from (${last} limit -1)`
}

export function sortedIds<Row>(list: List<Row>, from: SQL, where: SQL | undefined, { sort, dir, reversed }: Order, more = sql``): SQL {
  const { columns, table } = list
  const column = columns.find(({ key }) => key === sort)
  const direction = sql.raw(dir)
  const nulls = column && isEmptyLast(column.kind) ? sql.raw(reversed ? ' nulls first' : ' nulls last') : sql``
  const ties = column?.newestFirst ? sql.raw(reversed ? 'asc' : 'desc') : direction
  const order = column?.sort ? sql`${column.sort} ${direction}${nulls}, ${table.id} ${ties}` : sql`${table.id} ${direction}`
  return sql`select ${table.id}${more} from ${from} ${column?.join ?? sql``} ${whereClause(where)} order by ${order}`
}

/** Loads rows by id; CROSS JOIN fixes the join order, which SQLite might choose badly. */
export function joinById<Row>({ table }: List<Row>, ids: SQL): SQL {
  return sql`(${ids}) as near cross join ${table} on ${table.id} = near.id`
}

export function whereClause(where: SQL | undefined): SQL {
  return where ? sql`where ${where}` : sql``
}
