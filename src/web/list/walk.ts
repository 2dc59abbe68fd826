import { and, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../database/open.ts'
import { valuesOf } from '../../database/values.ts'
import type { Direction, List, ListState } from './state.ts'

export interface Slice {
  length: number
  offset: number
}

export type Order = Pick<ListState, 'sort' | 'dir'>

export function selectIds<Row>(db: Database, list: List<Row>, where: SQL | undefined, order: Order, slice: Slice): number[] {
  const column = list.columns.find((column) => column.key === order.sort)
  if (column?.through) return walkThrough(db, list, where, column as Through, order.dir, slice)
  return idsOf(db, where === list.only ? wholeList(list, order) : ordered(list, sql`${list.table}`, where, order), slice)
}

/** The query of a whole list in an order: asked all day, so it stays the same. */
function wholeList<Row>(list: List<Row>, order: Order): SQL {
  const known = wholeLists.get(list) ?? new Map<string, SQL>()
  const key = `${order.sort} ${order.dir}`
  const query = known.get(key) ?? ordered(list, sql`${list.table}`, list.only, order)
  wholeLists.set(list, known.set(key, query))
  return query
}

const wholeLists = new WeakMap<object, Map<string, SQL>>()

export function ordered<Row>(
  { columns, table, joins, sort: initial }: List<Row>,
  from: SQL,
  where: SQL | undefined,
  { sort, dir }: Order,
): SQL {
  const [by, direction] = [columns.find(({ key }) => key === sort)?.sort ?? initial.by, sql.raw(dir)]
  const order = by ? sql`${by} ${direction}, ${table.id} ${direction}` : sql`${table.id} ${direction}`
  return sql`select ${table.id} from ${from} ${joins ?? sql``} ${whereClause(where)} order by ${order}`
}

type Through = Required<Pick<List<unknown>['columns'][number], 'sort' | 'through'>>

/** Rows that point at nothing come first, then those of each row of the other table, in its order: no sorting at all. */
function walkThrough<Row>(
  db: Database,
  { table }: List<Row>,
  where: SQL | undefined,
  { sort, through }: Through,
  dir: Direction,
  slice: Slice,
) {
  const direction = sql.raw(dir)
  const none = and(sql`${through.column} is null`, where)
  const bare = sql`select ${table.id} from ${table} where ${none} order by ${table.id} ${direction}`
  const linked = sql`select ${table.id} from ${through.table} cross join ${table} on ${through.column} = ${through.table.id} ${whereClause(where)}
    order by ${sort} ${direction}, ${through.table.id} ${direction}, ${table.id} ${direction}`
  const [nearer, farther] = dir === 'asc' ? [bare, linked] : [linked, bare]
  const ids = idsOf(db, nearer, slice)
  if (ids.length === slice.length) return ids
  const passed = ids.length > 0 ? slice.offset + ids.length : first(db, sql`select count(*) from (${nearer})`)
  return [...ids, ...idsOf(db, farther, { length: slice.length - ids.length, offset: Math.max(0, slice.offset - passed) })]
}

export function idsOf(db: Database, query: SQL, slice?: Slice): number[] {
  const rows = slice ? valuesOf<[number]>(db, query, ' limit ? offset ?', [slice.length, slice.offset]) : valuesOf<[number]>(db, query)
  return rows.map(([id]) => id)
}

export function whereClause(where: SQL | undefined): SQL {
  return where ? sql`where ${where}` : sql``
}

export function countUpTo(db: Database, rows: SQL, most: number): number {
  return first(db, sql`select count(*) from (${rows} limit ${most})`)
}

export function first(db: Database, query: SQL): number {
  return valuesOf<[number | null]>(db, query)[0]?.[0] ?? 0
}
