import { setImmediate as yieldToLoop } from 'node:timers/promises'
import { and, type SQL, sql } from 'drizzle-orm'
import type { Actor } from '../../core/access.ts'
import { searchWords } from '../../core/text.ts'
import { type Database, selectRows } from '../../database/index.ts'
import { dialect } from '../../database/prepare-once.ts'
import { openReader } from '../../database/reader.ts'
import { matchingIds, textContains } from '../../database/search-index.ts'
import type { Context } from '../../http/request/context.ts'
import { isEmptyLast } from '../../view/column-kinds.ts'
import { conditionOf, hasIndex, type SearchAndFilters, scopeAndFilters, whereClause } from './conditions.ts'
import type { Column, Direction, List, ListState } from './list.ts'

/** What somebody wants to see of a list. */
export interface ListQuery<Row> {
  db: Database
  list: List<Row>
  actor: Actor
  state: ListState
}

export type SearchQuery<Row> = Omit<ListQuery<Row>, 'state'> & { state: SearchAndFilters }

export interface Slice {
  length: number
  offset: number
}

/** SQLite reads a negative limit as none. */
export const unlimited = -1

/** Up to so many rows are scanned rather than searched by the index. */
export const scanLimit = 5000

export function idsQuery<Row>(query: ListQuery<Row>): SQL {
  const { list, actor, state } = query
  const matches = searchQuery(query)
  return matches ? orderedIds(list, undefined, state, joinById(list, matches)) : orderedIds(list, conditionOf(list, actor, state), state)
}

const readAtOnce = 1000

/** Milliseconds after which others are served. */
const readingTime = 8

/** All ids of a list; those of a long one are read through a connection of their own, little by little. */
export async function readAllIds<Row>({ server: { db }, actor }: Context, list: List<Row>, state: ListState): Promise<number[]> {
  const all = idsQuery({ db, list, actor, state })
  const first = selectIds(db, all, { length: readAtOnce, offset: 0 })
  if (first.length < readAtOnce) return first
  const reader = openReader(db.$client.name)
  try {
    const { sql: text, params } = dialect.sqlToQuery(all)
    const ids: number[] = []
    let began = performance.now()
    for (const id of reader.prepare<unknown[], number>(text).pluck().iterate(params)) {
      ids.push(id)
      if (performance.now() - began < readingTime) continue
      await yieldToLoop()
      began = performance.now()
    }
    return ids
  } finally {
    reader.close()
  }
}

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

type Order = Pick<ListState, 'sort' | 'dir'> & {
  reversed?: boolean
}

/** @param from what is put in order, if not the whole list, and `more` what is selected besides */
export function orderedIds<Row>(list: List<Row>, where: SQL | undefined, order: Order, from?: SQL, more = sql``): SQL {
  const { columns, table } = list
  const column = columns.find(({ key }) => key === order.sort)
  if (column?.through && !from) return orderedIdsThrough(list, where, column as ThroughColumn, order.dir)
  const direction = sql.raw(order.dir)
  const nulls = column && isEmptyLast(column.kind) ? sql.raw(order.reversed ? ' nulls first' : ' nulls last') : sql``
  const ties = column?.newestFirst ? sql.raw(order.reversed ? 'asc' : 'desc') : direction
  const by = column?.sort ? sql`${column.sort} ${direction}${nulls}, ${table.id} ${ties}` : sql`${table.id} ${direction}`
  return sql`select ${table.id}${more} from ${from ?? table} ${column?.join ?? sql``} ${whereClause(where)} order by ${by}`
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

/** Loads rows by id; CROSS JOIN fixes the join order, which SQLite might choose badly. */
export function joinById<Row>({ table }: List<Row>, ids: SQL): SQL {
  return sql`(${ids}) as near cross join ${table} on ${table.id} = near.id`
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
