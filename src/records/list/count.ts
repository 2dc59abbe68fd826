import { type SQL, sql } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { Actor } from '../../core/access.ts'
import { cachedUntilWrite, type Database } from '../../database/index.ts'
import { countLimit } from '../../i18n/format.ts'
import { conditionOf, scopeAndFilters, whereClause } from './conditions.ts'
import { countUpTo, type SearchQuery, search, selectNumber, unlimited } from './ids.ts'
import type { List } from './list.ts'
import { readState } from './state.ts'

/** How many rows the list of a query such as `waiting=1` has for somebody, up to one above the limit. */
export function countOf<Row>(db: Database, list: List<Row>, actor: Actor, address: string, limit = countLimit): number {
  const count = () => countOfState({ db, list, actor, state: readState(list, new URLSearchParams(address), actor) }, limit)
  return cachedUntilWrite(db, `${limit} of ${list.name} where ${address} for ${actor.id}`, count)
}

export function countOfState<Row>(query: SearchQuery<Row>, limit = countLimit): number {
  return search(query, limit + 1)?.count ?? countRows(query, limit + 1)
}

export function countUpToLimit(db: Database, table: SQLiteTable, where: SQL | undefined): number {
  return countUpTo(db, sql`select 1 from ${table} ${whereClause(where)}`, countLimit + 1)
}

export function countRows<Row>({ db, list, actor, state }: SearchQuery<Row>, limit = unlimited): number {
  const where = whereClause(conditionOf(list, actor, state))
  const count = () => selectNumber(db, sql`select count(*) from ${list.table} ${where}`)
  if (isConstant(list) && !state.q && Object.keys(state.filters).length === 0 && !scopeAndFilters(list, actor))
    return cachedUntilWrite(db, `number of ${list.name}`, count)
  return limit === unlimited ? count() : countUpTo(db, sql`select 1 from ${list.table} ${where}`, limit)
}

/** Which records a list has depends on nothing else; which events, on person and time as well. */
const isConstant = <Row>({ place, rows, baseCondition }: List<Row>) => !place && !(rows.events && baseCondition)
