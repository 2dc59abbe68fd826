import { and, type SQL, sql } from 'drizzle-orm'
import type { Actor } from '../../core/access.ts'
import { searchWords } from '../../core/text.ts'
import type { Database } from '../../database/open.ts'
import { conditionOf, type Narrowing, narrowing } from './conditions.ts'
import { matches } from './search.ts'
import type { List, ListState } from './state.ts'
import { countUpTo, idsOf, type Order, ordered, type Slice, selectIds, whereClause } from './walk.ts'

/** What a search finds, in no order; the ids travel as one text. */
export interface Found {
  count: number
  ids: string
}

/** For SQLite, a limit below zero is none. */
export const unlimited = -1

/** So few rows can be looked at one by one. */
export const fewRows = 5000

export function search<Row>(db: Database, list: List<Row>, actor: Actor, state: Narrowing, most = unlimited): Found | undefined {
  const rows = searched(db, list, actor, state)
  if (!rows) return undefined
  const [[count, ids]] = db.values<[number, string]>(sql`select count(*), json_group_array(id) from (${rows} limit ${most})`) as [
    [number, string],
  ]
  return { count, ids }
}

/** The query of what a search finds by indexes; none where nothing is searched for or the list has no index. */
export function searched<Row>(db: Database, list: List<Row>, actor: Actor, { q, filters }: Narrowing): SQL | undefined {
  const words = searchWords(q)
  if (!list.reach || words.length === 0) return undefined
  const narrow = narrowing(list, actor, filters)
  const own = narrow && fewOf(db, sql`select ${list.table.id} from ${list.table} ${whereClause(and(list.only, narrow))}`)
  const { ids, exact } = own ? { ids: own, exact: false } : list.reach(words)
  return exact && !narrow ? ids : among(list, ids, conditionOf(list, actor, { q, filters }))
}

function fewOf(db: Database, ids: SQL): SQL | undefined {
  return countUpTo(db, ids, fewRows + 1) <= fewRows ? ids : undefined
}

function among<Row>(list: List<Row>, ids: SQL, where: SQL | undefined): SQL {
  return sql`select ${list.table.id} from ${source(list, ids)} ${whereClause(where)}`
}

/** Rows by their ids: the join says in which order to look them up, which the database might guess wrong. */
export function source<Row>({ table }: List<Row>, ids: SQL): SQL {
  return sql`(${ids}) as near cross join ${table} on ${table.id} = near.id`
}

export function listed(ids: string): SQL {
  return sql`select value as id from json_each(${ids})`
}

/** Where there are very many, those of a page are soon met in the order of the list, unless all stand far off; else they are sorted. */
export function foundIds<Row>(db: Database, list: List<Row>, actor: Actor, state: ListState, slice: Slice, found?: Found): number[] {
  if (found) return sortedIds(db, list, found, state, slice)
  return metIds(db, list, actor, state, slice) ?? sortedIds(db, list, search(db, list, actor, state) as Found, state, slice)
}

function metIds<Row>(db: Database, list: List<Row>, actor: Actor, state: ListState, { offset, length }: Slice): number[] | undefined {
  const [where, found] = [and(list.only, narrowing(list, actor, state.filters)), matches(state.q, list.find)]
  const [wanted, met] = [offset + length, [] as number[]]
  const block = { offset: 0, length: Math.max(256, 2 * wanted) }
  while (block.offset < Math.max(fewRows, 4 * wanted)) {
    const ids = selectIds(db, list, where, state, block)
    const meeting = new Set(idsOf(db, among(list, listed(JSON.stringify(ids)), found)))
    met.push(...ids.filter((id) => meeting.has(id)))
    if (met.length >= wanted) return met.slice(offset, wanted)
    block.offset += block.length
    block.length *= 2
  }
  return undefined
}

function sortedIds<Row>(db: Database, list: List<Row>, { ids }: Found, order: Order, slice?: Slice): number[] {
  return idsOf(db, ordered(list, source(list, listed(ids)), undefined, order), slice)
}
