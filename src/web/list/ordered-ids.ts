import { and, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../database/open.ts'
import { selectRows } from '../../database/select-rows.ts'
import type { Direction, List, ListState } from './state.ts'

export interface Slice {
  length: number
  offset: number
}

export type Order = Pick<ListState, 'sort' | 'dir'>

export function selectIds<Row>(db: Database, list: List<Row>, where: SQL | undefined, order: Order, slice: Slice): number[] {
  const column = list.columns.find((column) => column.key === order.sort)
  if (column?.through) return selectIdsThrough(db, list, where, column as ThroughColumn, order.dir, slice)
  return idsOf(
    db,
    where === list.baseCondition ? unfilteredQuery(list, order) : orderedQuery(list, sql`${list.table}`, where, order),
    slice,
  )
}

/** The query of a whole list in an order: asked all day, so it stays the same. */
function unfilteredQuery<Row>(list: List<Row>, order: Order): SQL {
  const known = unfilteredQueries.get(list) ?? new Map<string, SQL>()
  const key = `${order.sort} ${order.dir}`
  const query = known.get(key) ?? orderedQuery(list, sql`${list.table}`, list.baseCondition, order)
  unfilteredQueries.set(list, known.set(key, query))
  return query
}

const unfilteredQueries = new WeakMap<object, Map<string, SQL>>()

export function orderedQuery<Row>(
  { columns, table, joins, sort: initial }: List<Row>,
  from: SQL,
  where: SQL | undefined,
  { sort, dir }: Order,
): SQL {
  const [by, direction] = [columns.find(({ key }) => key === sort)?.sort ?? initial.by, sql.raw(dir)]
  const order = by ? sql`${by} ${direction}, ${table.id} ${direction}` : sql`${table.id} ${direction}`
  return sql`select ${table.id} from ${from} ${joins ?? sql``} ${whereClause(where)} order by ${order}`
}

type ThroughColumn = Required<Pick<List<unknown>['columns'][number], 'sort' | 'through'>>

/** Rows that point at nothing come first, then those of each row of the other table, in its order: no sorting at all. */
function selectIdsThrough<Row>(
  db: Database,
  { table }: List<Row>,
  where: SQL | undefined,
  { sort, through }: ThroughColumn,
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
  const passed = ids.length > 0 ? slice.offset + ids.length : selectNumber(db, sql`select count(*) from (${nearer})`)
  return [...ids, ...idsOf(db, farther, { length: slice.length - ids.length, offset: Math.max(0, slice.offset - passed) })]
}

export function idsOf(db: Database, query: SQL, slice?: Slice): number[] {
  const rows = slice ? selectRows<[number]>(db, query, ' limit ? offset ?', [slice.length, slice.offset]) : selectRows<[number]>(db, query)
  return rows.map(([id]) => id)
}

export function whereClause(where: SQL | undefined): SQL {
  return where ? sql`where ${where}` : sql``
}

export function countUpTo(db: Database, rows: SQL, limit: number): number {
  return selectNumber(db, sql`select count(*) from (${rows} limit ${limit})`)
}

export function selectNumber(db: Database, query: SQL): number {
  return selectRows<[number | null]>(db, query)[0]?.[0] ?? 0
}
