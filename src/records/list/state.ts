import { type Actor, maySee } from '../../core/access.ts'
import { cachedUntilWrite, prepareOnce } from '../../database/index.ts'
import { url } from '../../http/request/addresses.ts'
import type { Context } from '../../http/request/context.ts'
import { type Column, type List, type ListState, listPath, type PageSize } from './list.ts'

/** The state that a query names; page size and columns that it does not name are those this person chose last. */
export function stateFor<Row>({ server, actor }: Context, list: List<Row>, query: URLSearchParams): ListState {
  const key = { user: actor.id, list: list.name }
  const chosen = cachedUntilWrite(server.db, `choices of ${actor.id} for ${list.name}`, () => findChoice(server.db).get(key))
  return readState(list, query, actor, chosen)
}

const findChoice = prepareOnce((db) =>
  db.$client.prepare<[{ user: number; list: string }], { size: string; cols: string }>(
    'select size, cols from list_choices where user_id = @user and list = @list',
  ),
)

/** What an address asks of a list, as far as this person may see it: what they may not see neither sorts nor filters. */
export function readState<Row>(whole: List<Row>, query: URLSearchParams, actor: Actor, chosen?: { size: string; cols: string }): ListState {
  const list = { ...whole, columns: whole.columns.filter(maySee(actor)), filters: whole.filters?.filter(maySee(actor)) }
  const sort = list.columns.find((column) => column.sort && column.key === query.get('sort'))
  const requested = query.get('dir')
  const q = (query.get('q') ?? '').trim().slice(0, 200)
  const narrows = q !== '' || list.filters?.some(({ name }) => query.get(name))
  const usuallyFiltered = usualFilters(list, actor)
  const filters = narrows ? readFilters(list, query) : usuallyFiltered
  const first = list.sort.for?.(actor, filters) ?? list.sort
  const key = sort?.key ?? first.key
  // An address that names a column alone means the same to everybody.
  const usualDir = sort ? (key === list.sort.key ? list.sort.dir : 'asc') : first.dir
  const dir = requested === 'asc' || requested === 'desc' ? requested : usualDir
  const page = Number(query.get('page'))
  const usual = {
    sort: first.key,
    dir: first.dir,
    size: sizeNamed(list, chosen?.size) ?? (list.sizes[0] as PageSize),
    cols: columnsNamed(list, actor, chosen?.cols),
    filters: usuallyFiltered,
  }
  const cols = query.get('cols')
  return {
    q,
    filters,
    sort: key,
    dir,
    size: sizeNamed(list, query.get('size')) ?? usual.size,
    page: Number.isSafeInteger(page) && page > 0 ? page : 1,
    cols: cols === null ? usual.cols : columnsNamed(list, actor, cols),
    usual,
  }
}

function sizeNamed<Row>({ sizes }: List<Row>, name?: string | null): PageSize | undefined {
  return sizes.find((size) => String(size) === name)
}

/** Columns to show, and after a minus those not to show, that otherwise would be. */
function columnsNamed<Row>({ columns }: List<Row>, actor: Actor, names = ''): string[] {
  const named = names.split(',')
  return columns.flatMap((column) => {
    const { key } = column
    if (named.includes(key) && isOptional(column, actor)) return [key]
    return named.includes(without(key)) && (column.spare || column.shownBy) ? [without(key)] : []
  })
}

/** How `cols` names a column that somebody does without. */
export const without = (key: string): string => `-${key}`

/** Whether a column is shown only where it is asked for. */
export function isHidden({ hidden }: Column, actor: Actor): boolean {
  return typeof hidden === 'function' ? hidden(actor) : hidden === true
}

/** Whether somebody chooses if it is shown. */
export const isOptional = (column: Column, actor: Actor): boolean => column.spare === true || isHidden(column, actor)

/** Whether it is shown while nobody chooses. */
export const isUsual = (column: Column, actor: Actor, filters: ListState['filters']): boolean =>
  !isHidden(column, actor) || filters[column.shownBy ?? ''] !== undefined

/** The columns that somebody sees of a list as it is. */
export function shownColumns<Row>({ columns }: List<Row>, actor: Actor, { cols, filters }: Pick<ListState, 'cols' | 'filters'>): Column[] {
  const isShown = (column: Column) => cols.includes(column.key) || (isUsual(column, actor, filters) && !cols.includes(without(column.key)))
  return columns.filter(maySee(actor)).filter(isShown)
}

function usualFilters<Row>({ filters = [] }: List<Row>, actor: Actor): Record<string, string> {
  return Object.fromEntries(
    filters.flatMap(({ name, usual }) => {
      const value = usual?.for(actor)
      return value ? [[name, value]] : []
    }),
  )
}

function readFilters<Row>({ filters = [] }: List<Row>, query: URLSearchParams): Record<string, string> {
  const requested = filters.map((filter) => [filter, query.get(filter.name) ?? ''] as const)
  return Object.fromEntries(requested.filter(([filter, value]) => value && filter.where(value)).map(([{ name }, value]) => [name, value]))
}

/** The address of a list as something that was sent describes it. */
export function listAddress<Row>(context: Context, list: List<Row>, source: URLSearchParams): string {
  return url(context.server, listPath(list)) + stateQuery(list, stateFor(context, list, source))
}

export function stateQuery<Row>(list: List<Row>, state: ListState, changes: Partial<ListState> = {}): string {
  const next = { ...state, ...changes }
  const query = new URLSearchParams(list.place?.query)
  if (next.q) query.set('q', next.q)
  for (const [name, value] of Object.entries(namedFilters(next))) query.set(name, value)
  if (isSorted(next)) {
    query.set('sort', next.sort)
    query.set('dir', next.dir)
  }
  // Others have other habits, so an address names whatever differs from the list as it is for somebody new.
  if (next.size !== list.sizes[0] || next.size !== next.usual.size) query.set('size', String(next.size))
  if (next.page > 1) query.set('page', String(next.page))
  if (next.cols.length > 0 || next.usual.cols.length > 0) query.set('cols', next.cols.join())
  return query.size > 0 ? `?${query}` : ''
}

/** Whether somebody sorts otherwise than they usually do. */
export const isSorted = ({ sort, dir, usual }: ListState): boolean => sort !== usual.sort || dir !== usual.dir

/** Nothing where filters are as usual; where none is on although some usually are, those say so. */
function namedFilters(state: ListState): Record<string, string> {
  if (!isNarrowed(state)) return {}
  return state.q !== '' || Object.keys(state.filters).length > 0 ? state.filters : withEvery(state.usual.filters, 'all')
}

const withEvery = (filters: Record<string, string>, value: string) => Object.fromEntries(Object.keys(filters).map((name) => [name, value]))

/** Whether somebody searches, or filters otherwise than they usually do. */
export function isNarrowed({ q, filters, usual }: ListState): boolean {
  const names = [...new Set([...Object.keys(filters), ...Object.keys(usual.filters)])]
  return q !== '' || names.some((name) => filters[name] !== usual.filters[name])
}
