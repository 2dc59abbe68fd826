import type { Query, SQL, SQLChunk } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { FastifyRequest } from 'fastify'
import type { Actor, AnyRule, Guarded } from '../../core/access.ts'
import type { Database } from '../../database/open.ts'
import type { SearchIndex } from '../../database/search-index.ts'
import type { Context } from '../../http/request/context.ts'
import type { Fragment } from '../../http/request/template.ts'
import type { ColumnKind } from '../../view/column-kinds.ts'
import type { EmptyList } from './empty-list.ts'

export interface Column extends Guarded {
  key: string
  label: string
  kind: ColumnKind
  /** What is selected for it; without that, `rows` of the list adds it. */
  value?: ColumnValue
  sort?: SQL | SQLiteColumn
  /** Of rows with the same value the newest comes first, whichever way they are sorted. */
  newestFirst?: true
  /** The join that `sort` needs. */
  join?: SQL
  through?: { table: SQLiteTable & { id: SQLiteColumn }; column: SQLiteColumn }
  /** How its cells are drawn, where that is not as its kind says. */
  cell?: 'text' | 'order' | 'account' | 'debt' | 'documentState'
  /** Its values narrow the list to their rows: by which filter, whose value a row has by this key. */
  narrows?: { filter: string; by: string }
  /** Its values say nothing without its name, or a shorter one, which phones put before them. */
  told?: true | string
  /** Its cells lead to the card of their record. */
  opens?: true
  /** Shown only when `cols` names it: to everybody, or to those of whom this holds. */
  hidden?: true | ((actor: Actor) => boolean)
  /** Shown all the same where this filter holds. */
  shownBy?: string
  /** Left out where no row of the page has a value of it, unless it was chosen. */
  sparse?: true
  /** Left out where the table has no room for it beside usual values of the others. */
  spare?: true
  /** What its cells hold, read at once for the rows of a page that shows it. */
  load?: (ids: number[], context: Context) => Map<number, unknown>
  words?: ExportColumn['words']
  /** What it is in a spreadsheet, where that is something else. */
  exported?: Partial<Pick<ExportColumn, 'label' | 'kind' | 'words'>>
}

type ColumnValue = SQL | SQLiteColumn | Record<string, SQL | SQLiteColumn>

/** A column of a spreadsheet: the thread that writes it selects and formats its cells by itself. */
export interface ExportColumn {
  label: string
  width?: number
  /** Several are the parts of a name. */
  value: ColumnValue
  kind?: ColumnKind
  /** What to call values that are keys: texts of ours. */
  words?: Readonly<Record<string, string>>
}

type Valued<C extends Column> = C extends { value: object } ? C : never

/** What drizzle selects for columns, by their keys. */
export function valuesOf<const Columns extends readonly Column[]>(columns: Columns) {
  const named = columns.flatMap(({ key, value }) => (value ? [[key, value]] : []))
  return Object.fromEntries(named) as { [C in Valued<Columns[number]> as C['key']]: C['value'] }
}

export type PageSize = number | 'all'

export interface Filter extends Guarded {
  name: string
  label: string
  /** What else people call it who look for it. */
  says?: readonly string[]
  /** What the search calls the list with it: of a flag alone. */
  listTitle?: string
  /** How a value is given that is none of the options; a flag is on or off. */
  input?: 'date' | 'number' | 'flag'
  further?: true
  /** What is said where it alone finds nothing: of any value, or by value. */
  nothingFound?: string | Record<string, string>
  /** The value that holds for somebody while the address neither searches nor filters, its tab, and what it then folds away. */
  usual?: { for: (actor: Actor) => string | undefined; label: string; folds: { value: string; label: string }[] }
  /** Two filters with the same label are the ends of one range, and one field; `ahead` where its days are planned ones. */
  range?: { label: string; bound: 'from' | 'until'; ahead?: true }
  /** Its value is an amount in rubles. */
  amount?: true
  /** What is offered and named, limited to what somebody may know who sees these rows (all of the list without a condition). */
  options?: (context: Context, limit?: number, seen?: SQL) => { value: string; label: string }[]
  /** What to call a value that is none of the options, for whoever sees these rows. */
  nameOf?: (context: Context, value: string, seen?: SQL) => string | undefined
  /** The condition for a value, for this person where that matters; undefined for an invalid one, which filters nothing. */
  where: (value: string, actor?: Actor) => SQL | undefined
  /** By the key of a sorted column: where alone its sorted rows can meet the filter, so that walking them starts there. */
  within?: (value: string) => Record<string, SQL> | undefined
  /** How many rows each option has; undefined when there are too many to count. */
  counts?: (db: Database, where: SQL | undefined) => Map<string, number> | undefined
}

/** What a row may say besides the values of its columns, by their keys. */
export interface RowNotes {
  /** What it is called, where that is not what leads to its card. */
  label?: string
  /** The address of a picture before its name. */
  picture?: string | null
  /** What stands quietly beside a value. */
  notes?: Record<string, { text: string; title?: string }[]>
  titles?: Record<string, string | undefined>
  /** Where a value leads. */
  hrefs?: Record<string, string | undefined>
  /** What programs read of it: `data-<name>`. */
  data?: Record<string, string | number>
}

declare module 'fastify' {
  interface Registry {
    bulkActions: BulkAction[]
  }
}

/** What is done with ticked rows of a list: a page that takes the selection. */
export interface BulkAction {
  list: string
  path: string
  label: string
  icon: string
  rule: AnyRule
  /** A document of its own rather than a question in the dialog. */
  document?: true
  isOffered?: (db: Database) => boolean
}

/** Another page that a list stands on, and the query that finds its rows in the list of its own address, for their export. */
interface Place {
  path: string
  query: Record<string, string>
  alone?: Record<string, string>
}

export interface List<Row> {
  name: string
  title: string
  /** Its address, where that is not its name. */
  path?: string
  place?: Place
  /** Where the name of a row leads, if not to its card. */
  page?: string
  around?: Around
  empty?: EmptyList | ((context: Context) => EmptyList | undefined)
  /** `rule` where it is not what `may.add` says. */
  add?: { path: string; label: string; rule?: AnyRule }
  columns: readonly Column[]
  sheet?: Sheet
  sizes: readonly PageSize[]
  /** At first; `for` somebody who sees it sorted another way, which may depend on what is filtered. */
  sort: Sort & { for?: (actor: Actor, filters: ListState['filters']) => Sort | undefined }
  table: SQLiteTable & { id: SQLiteColumn }
  baseCondition?: SQL
  may: Record<string, AnyRule> & { list: AnyRule }
  filters?: readonly Filter[]
  /** What the search looks through, in the placeholder. */
  searchHint?: string
  /** The same for those who see rows of their own company only. */
  searchHintForDealers?: string
  /** Where that is: in an index, for lists with very many rows, in columns, or by the condition for one folded word. */
  find: SearchIndex | readonly SQLChunk[] | ((word: string) => SQL | undefined)
  rows: Rows<Row>
  /** What all that it finds comes to, where that is soon known, below the rows of a page. */
  sums?(context: Context, state: ListState, rows: Row[]): Sum[] | undefined
}

export interface Sum {
  label: string
  kopecks: number
  /** Below which column it stands, where that is shown; otherwise below the first of money. */
  column?: string
  /** What it means. */
  note?: string | undefined
}

/** How the rows of a list are read, and how they look. */
export interface Rows<Row> {
  load: (ids: number[], context: Context) => Row[]
  /** The query that reads them, from which a spreadsheet takes the values of its columns; without it, they are those of the table. */
  selection?: Selection
  /** A row of the table for each of `list.rows`, with a cell for each column, where those say more than the kinds of the columns. */
  template?: string
  /** They are events rather than records: of several lines, and their buttons answer with the list. */
  events?: true
}

/** What a page of a list has besides. */
interface Around {
  /** Beside the title. */
  heading?: Fragment<[FastifyRequest]>
  tools?: { template: string }
  below?: Fragment<[FastifyRequest]>
}

interface Sheet {
  /** Without them, it has those of the screen that have a value. */
  columns?: readonly ExportColumn[]
  lines?: Lines
}

/** Rows of which its records consist: the second sheet of a workbook, and with `lines=1` the rows of a text. */
export interface Lines {
  title: string
  columns: readonly (ExportColumn & Guarded)[]
  /** Selects the lines of the records whose ids it is given. */
  selection: Selection
}

export interface Selection {
  fields: Record<string, ColumnValue>
  /** Has one placeholder: the ids. */
  query: { toSQL: () => Query }
}

// biome-ignore lint/suspicious/noExplicitAny: rows of every kind
export type AnyList = List<any>

export const listPath = ({ name, path }: Pick<AnyList, 'name' | 'path'>): string => path ?? `/${name}`

export type Direction = 'asc' | 'desc'

interface Sort {
  key: string
  dir: Direction
}

/** What an address asks of a list. */
export interface ListState {
  q: string
  filters: Record<string, string>
  sort: string
  dir: Direction
  size: PageSize
  page: number
  cols: string[]
  /** What holds where the query names none. */
  usual: Pick<ListState, 'sort' | 'dir' | 'size' | 'cols' | 'filters'>
}
