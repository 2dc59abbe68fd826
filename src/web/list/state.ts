import type { SQL } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { FastifyRequest } from 'fastify'
import type { Rule } from '../../core/access.ts'
import type { Database } from '../../database/open.ts'
import type { SearchIndex } from '../../database/search-index.ts'
import type { Part } from '../view/page.ts'

export interface Column {
  key: string
  label: string
  /** What the list is ordered by when this column is chosen; without it the column does not sort. */
  sort?: SQL
  /** Where the order is that of a small table which this one points at: rows are then walked through it, in order. */
  through?: { table: SQLiteTable & { id: SQLiteColumn }; column: SQLiteColumn }
  /** Shown only when `cols` names it. */
  hidden?: true
  /** How its cells are shown; without it as text. */
  show?: 'link' | 'date' | 'person' | 'status' | 'money' | 'switch' | 'quiet'
  /** What a link says when there is nothing. */
  empty?: string
  /** A template of its own for its cells: they get `CellData`. */
  cell?: { template: string }
}

export type PageSize = number | 'all'

/** A choice that narrows a list: its name is a parameter of the address. */
export interface Filter {
  name: string
  label: string
  /** Typed as a date instead of chosen. */
  input?: 'date'
  /** What this person may choose; where that can be very many, only so many of them. */
  options: (request: FastifyRequest, limit?: number) => { value: string; label: string }[]
  /** Which rows a value leaves; none for a value that means nothing. */
  where: (value: string) => SQL | undefined
  /** Drawn as tabs above the table: how many rows each value leaves, given what else narrows the list. */
  counts?: (db: Database, where: SQL | undefined) => Map<string, number>
}

/** A list as it is declared; everything else about it is in its address. */
export interface List<Row> {
  /** Path of the list page and prefix of its hooks in the HTML. */
  name: string
  title: string
  /** Where it is shown when that is not `/<name>`: a tab of a card. */
  place?: { path: string; query: Record<string, string> }
  /** What people call a row. */
  labelOf?(row: Row): string
  /** Where the cards of its rows are, when that is not `/<name>/edit/`. */
  card?: string
  /** A template of its own for rows that are more than their columns. */
  ownRows?: { template: string }
  /** What stands beside the search, such as an export. */
  tools?: { template: string }
  /** What the page shows below the table. */
  below?: Part<[FastifyRequest]>
  /** What it says when there is nothing at all. */
  empty?: string
  /** The page that creates a record, and what its button says. */
  add?: { path: string; label: string }
  columns: readonly Column[]
  /** The first one is the default. */
  sizes: readonly PageSize[]
  /** How it is ordered at first: by the column of this key, or by something of its own. */
  sort: { key: string; dir: Direction; by?: SQL }
  table: SQLiteTable & { id: SQLiteColumn }
  /** Joins that the sort expressions need. */
  joins?: SQL
  /** What every row of this list has in common. */
  baseCondition?: SQL
  /** The module's rules: `list` carries the conditions of what a person may see, the others decide which actions are offered. */
  // biome-ignore lint/suspicious/noExplicitAny: the ownership tests of the rules take the module's own record
  may: Record<string, Rule<any>> & { list: Rule<any> }
  /** Rows can be ticked and deleted together. */
  bulk: boolean
  filters?: readonly Filter[]
  /** Where one folded word of a search is looked for; a list of very many has an index. */
  find: SearchIndex | ((word: string) => SQL | undefined)
  /** How many rows there are in all, where that is known without counting them. */
  countQuery?: SQL
  /** Loads the rows of a page, in any order. */
  rows: (ids: number[]) => Row[]
}

export type Direction = 'asc' | 'desc'

export interface ListState {
  q: string
  filters: Record<string, string>
  sort: string
  dir: Direction
  size: PageSize
  page: number
  cols: string[]
}

/** Reads a list's state from its address; whatever it does not know falls back to the default. */
export function readState<Row>(list: List<Row>, query: URLSearchParams): ListState {
  const sort = list.columns.find((column) => column.sort && column.key === query.get('sort'))
  const asked = query.get('dir')
  const dir = asked === 'asc' || asked === 'desc' ? asked : sort && sort.key !== list.sort.key ? 'asc' : list.sort.dir
  const page = Number(query.get('page'))
  return {
    q: (query.get('q') ?? '').trim().slice(0, 200),
    filters: readFilters(list, query),
    sort: sort?.key ?? list.sort.key,
    dir,
    size: list.sizes.find((size) => String(size) === query.get('size')) ?? (list.sizes[0] as PageSize),
    page: Number.isSafeInteger(page) && page > 0 ? page : 1,
    cols: hiddenColumns(list).filter((key) => (query.get('cols') ?? '').split(',').includes(key)),
  }
}

function readFilters<Row>({ filters = [] }: List<Row>, query: URLSearchParams): Record<string, string> {
  const asked = filters.map((filter) => [filter, query.get(filter.name) ?? ''] as const)
  return Object.fromEntries(asked.filter(([filter, value]) => value && filter.where(value)).map(([{ name }, value]) => [name, value]))
}

/** The query string of a state, defaults left out, `?` included when there is one. */
export function stateQuery<Row>(list: List<Row>, state: ListState, changes: Partial<ListState> = {}): string {
  const next = { ...state, ...changes }
  const query = new URLSearchParams(list.place?.query)
  if (next.q) query.set('q', next.q)
  for (const [name, value] of Object.entries(next.filters)) query.set(name, value)
  if (next.sort !== list.sort.key || next.dir !== list.sort.dir) {
    query.set('sort', next.sort)
    query.set('dir', next.dir)
  }
  if (next.size !== list.sizes[0]) query.set('size', String(next.size))
  if (next.page > 1) query.set('page', String(next.page))
  if (next.cols.length > 0) query.set('cols', next.cols.join(','))
  return query.size > 0 ? `?${query}` : ''
}

function hiddenColumns<Row>(list: List<Row>): string[] {
  return list.columns.filter((column) => column.hidden).map((column) => column.key)
}
