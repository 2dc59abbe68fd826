import type { FastifyRequest } from 'fastify'
import { allows, group, isDealer, maySee } from '../../core/access.ts'
import { url } from '../../http/request/addresses.ts'
import type { Context } from '../../http/request/context.ts'
import { template } from '../../http/request/template.ts'
import { formatCount } from '../../i18n/format.ts'
import { cellOf, isFlexible } from '../../view/column-kinds.ts'
import { type Link, viewOfFilters } from './filters.ts'
import { wordsToMark } from './found-by.ts'
import { type AnyList, type BulkAction, type Column, type List, type ListState, listPath, type Sum } from './list.ts'
import { narrowest, viewOfNarrow } from './narrow.ts'
import { findPage, type Page, sliceIds } from './page.ts'
import { readingQuery } from './record-paths.ts'
import { labeller, shownRows } from './rows.ts'
import { isOptional, isSorted, isUsual, shownColumns, stateQuery, without } from './state.ts'
import { viewOfFolds, viewOfTabs } from './tabs.ts'
import type { Totals } from './totals.ts'

export type ListView = ReturnType<typeof viewOfList>

export function viewOfList<Row extends { id: number }>(
  request: FastifyRequest,
  list: List<Row>,
  requested: ListState,
  page = findPage(request, list, requested),
  totals?: Totals,
) {
  const state = { ...requested, page: page.page }
  const path = url(request.server, list.place?.path ?? listPath(list))
  const link: Link = (changes) => path + stateQuery(list, state, { page: 1, ...changes })
  const kind = viewOfKind(request, list)
  const asked = shownColumns(list, request.actor, state)
  const rows = shownRows(request, list, page.ids, { columns: asked, q: state.q })
  const isWhole = page.rest.length === 0
  const columns = isWhole ? withValues(asked, rows, state) : asked
  const narrow = narrowest(columns, kind.picks, state, isWhole ? emptyColumns(columns, rows, totals) : undefined)
  const filters = viewOfFilters(request, list, state, link)
  return {
    ...kind,
    ...viewOfAddress(request, list, state),
    path,
    state,
    ...viewOfColumns(request, list, columns, state, link),
    optional: viewOfChoices(request, list, { columns, narrow, state, link }),
    totals,
    narrow: viewOfNarrow(columns, kind.picks, narrow) || undefined,
    sums: rows.length > 0 ? list.sums?.(request, state, rows)?.map((sum) => placeSum(sum, columns, narrow)) : undefined,
    ...filters,
    tabs: viewOfTabs(request, list, state, link),
    folds: viewOfFolds(request, list, state, link),
    narrowed: filters.narrowed && (page.total > 0 || hasRecords(request, list, state)),
    words: wordsToMark(state.q),
    rows,
    empty: rows.length === 0 ? emptyOf(request, list) : undefined,
    rest: page.rest,
    ...viewOfPages(list, page, state, link),
  }
}

/** Its words take the columns before the one that it is a sum of, without those that a narrow table leaves out. */
function placeSum(sum: Sum, columns: Column[], narrow: ReadonlyMap<string, number>) {
  const own = columns.findIndex(({ key }) => key === sum.column)
  const before = own < 0 ? columns.findIndex(({ kind }) => kind === 'money') : own
  const leftOut = columns.slice(0, before).flatMap(({ key }) => narrow.get(key) ?? [])
  return { ...sum, before: before - leftOut.length, leftOut, after: columns.length - before - 1 }
}

/** Where somebody sees no record at all, it is not the filter that finds none. */
function hasRecords<Row>({ server: { db }, actor }: Context, list: List<Row>, state: ListState): boolean {
  const query = { db, list, actor, state: { ...state, q: '', filters: {} } }
  return sliceIds(query, { offset: 0, length: 1 }).length > 0
}

/** What a list is and offers, whatever it finds. */
function viewOfKind<Row>(context: Context, list: List<Row>) {
  const { server, actor } = context
  const { name, title, add, may, place } = list
  const searchHint = (isDealer(actor) && list.searchHintForDealers) || list.searchHint
  const kind = server.records.get(name)
  const deletes = !kind?.deletion?.single && may.delete !== undefined && allows(may.delete, actor)
  const bulkActions = bulkActionsOf(context, list).map((action) => ({ ...action, path: url(server, action.path) }))
  return {
    ...{ name, title, searchHint, add, may, deletes, bulkActions },
    events: list.rows.events,
    rowTemplate: list.rows.template ?? recordRows.template,
    tools: list.around?.tools?.template,
    labelOf: labeller(context, list),
    page: pagesPath(context, list),
    picks: deletes || bulkActions.length > 0,
    lines: list.sheet?.lines !== undefined,
    shareable: actor.group_id === group.administrator,
    imports: !place && kind?.imports !== undefined,
  }
}

/** What is said of a list without records. */
export const emptyOf = (context: Context, { empty }: AnyList) => (typeof empty === 'function' ? empty(context) : empty)

function bulkActionsOf({ server, actor }: Context, { name, place }: AnyList): BulkAction[] {
  if (place) return []
  const offered = server.registry.bulkActions.filter(({ list, isOffered }) => list === name && (isOffered?.(server.db) ?? true))
  return offered.filter(({ rule }) => allows(rule, actor))
}

const recordRows: { template: string } = template<{ list: ListView }>('components/record-rows.njk')

/** Where the names of rows lead, followed by their ids: to cards, or to the pages of records that have none. */
export function pagesPath({ server }: Context, { name, page }: AnyList): string {
  const card = server.records.get(name)?.card
  return url(server, page ?? (card ? `${card.path}/edit/` : `/${name}/`))
}

/** The address of a list as it is, and what is made of it. */
function viewOfAddress<Row>(context: Context, list: List<Row>, state: ListState) {
  const { records, registry } = context.server
  const query = stateQuery(list, state)
  return {
    query,
    fixed: Object.entries(list.place?.query ?? {}),
    stateFields: [...new URLSearchParams(query)],
    exports: exportsOf(context, list, state),
    savedView: registry.savedViews.findSavedView(context, list.name, query),
    savable: query !== '' && !list.place && records.get(list.name)?.list !== undefined,
    ...viewOfWays(context, list, query),
    more: query.replace('?', '&'),
  }
}

/**
 * What follows the addresses of cards, and of where their records are read: the way back to the list as it is, and to the records beside it.
 */
function viewOfWays(context: Context, list: AnyList, query: string) {
  const reading = readingQueryOf(context, list)
  if (list.place) return { back: '', reading }
  const back = `back=${encodeURIComponent(query || '?')}`
  return { back: query && `?${back}`, reading: reading ? `${reading}&${back}` : `?${back}` }
}

/** What follows the address that the name of a row leads to. */
export function readingQueryOf({ server }: Context, { name, page }: AnyList): string {
  const card = server.records.get(name)?.card
  return card && !page ? readingQuery(card) : ''
}

function exportsOf<Row>(context: Context, list: List<Row>, state: ListState) {
  if (!allows(list.may.export ?? list.may.list, context.actor) || (list.place && !list.place.alone)) return undefined
  const query = stateQuery({ ...list, place: list.place?.alone && { ...list.place, query: list.place.alone } }, state)
  return { path: url(context.server, `${listPath(list)}/export`), more: query.replace('?', '&') }
}

/** Columns without those that none of these rows has a value of, but for what somebody chose or sorts by. */
function withValues(columns: Column[], rows: Record<string, unknown>[], { cols, sort }: ListState): Column[] {
  if (rows.length === 0) return columns
  const isAsked = (key: string) => cols.includes(key) || key === sort
  return columns.filter(({ key, sparse }) => !sparse || isAsked(key) || rows.some((row) => !isBlank(row[key])))
}

/** Those of which no row has a value, nor a sum of them one: what is owed and nothing are the same. */
function emptyColumns(columns: Column[], rows: Record<string, unknown>[], totals: Totals = {}): ReadonlySet<string> {
  if (totals === 'later') return new Set()
  const isNothing = (value: unknown, cell: Column['cell']) => value !== undefined && (isBlank(value) || (cell === 'debt' && value === 0))
  const isEmpty = ({ key, cell }: Column) => !totals[key]?.kopecks && rows.every((row) => isNothing(row[key], cell))
  return new Set(columns.filter(isEmpty).map(({ key }) => key))
}

const isBlank = (value: unknown) => value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)

function viewOfColumns<Row>(context: Context, list: List<Row>, columns: Column[], state: ListState, link: Link) {
  const { actor, t } = context
  const seen = list.columns.filter(maySee(actor))
  const noted = columns.find(({ kind }) => isFlexible(kind))
  return {
    columns: columns.map((column) => ({
      ...viewOfColumn(context, { told: list.rows.events, ...column }, state, link),
      notesFound: column === noted,
    })),
    labels: Object.fromEntries(list.columns.map(({ key, label }) => [key, t(label)])),
    shown: Object.fromEntries(columns.map(({ key }) => [key, true])),
    usualColumns: link({ page: state.page, cols: [] }),
    sorted: isSorted(state),
    sortedBy: seen.find(({ key }) => key === state.sort)?.label,
    sortSeen: columns.some(({ key, sort }) => sort && key === state.sort),
    sorts: seen.filter(({ sort }) => sort).map((column) => viewOfColumn(context, column, state, link)),
  }
}

interface Choices {
  columns: Column[]
  narrow: ReadonlyMap<string, number>
  state: ListState
  link: Link
}

/** The columns that somebody may show and hide; what gives way below a width is hidden there, and can be shown all the same. */
function viewOfChoices<Row>({ actor }: Context, list: List<Row>, { columns, narrow, state, link }: Choices) {
  const choosable = list.columns.filter(maySee(actor)).filter((column) => isOptional(column, actor))
  return choosable.map((column) => {
    const { key, label } = column
    const others = state.cols.filter((other) => other !== key && other !== without(key))
    const withCols = (...more: string[]) => link({ page: state.page, cols: [...others, ...more] })
    const hide = isUsual(column, actor, state.filters) ? withCols(without(key)) : withCols()
    return { key, label, shown: columns.some((one) => one.key === key), show: withCols(key), hide, below: narrow.get(key) }
  })
}

function viewOfColumn({ t }: Context, column: Column, state: ListState, link: Link) {
  const { key, label, kind, cell, narrows, opens, told, words, sort } = column
  const view = {
    ...{ key, label, kind, words, opens, narrows },
    text: t(label),
    told: told && t(told === true ? label : told),
    cell: cell ?? (words ? 'word' : cellOf(kind)),
    flexible: isFlexible(kind),
  }
  if (!sort) return view
  const current = key === state.sort
  const dir = current && state.dir === 'asc' ? ('desc' as const) : ('asc' as const)
  const icon = !current ? 'selector' : state.dir === 'asc' ? 'chevron-up' : 'chevron-down'
  return { ...view, href: link({ sort: key, dir }), sorted: current ? `${state.dir}ending` : 'none', icon }
}

function viewOfPages<Row>({ sizes }: List<Row>, { total, open, page, pages, from, to }: Page, state: ListState, link: Link) {
  const near = [page - 2, page - 1, page, page + 1, page + 2].filter((number) => number >= 1 && number <= pages)
  const linkTo = (page: number) => link({ page })
  return {
    ...{ total, from, to, pages },
    totalShown: open ? formatCount(total) : total,
    sizes: sizes.map((size) => ({ size, current: size === state.size, href: link({ size }) })),
    pager: {
      first: page > 1 ? linkTo(1) : undefined,
      previous: page > 1 ? linkTo(page - 1) : undefined,
      near: near.map((number) => ({ number, current: number === page, href: linkTo(number) })),
      next: page < pages ? linkTo(page + 1) : undefined,
      last: page < pages && !open ? linkTo(pages) : undefined,
    },
  }
}
