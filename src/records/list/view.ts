import type { FastifyRequest } from 'fastify'
import { type Actor, allows, authorizer, group, maySee } from '../../core/access.ts'
import { recordLabelFor } from '../../core/default-workflow.ts'
import { url } from '../../http/request/addresses.ts'
import type { Context } from '../../http/request/context.ts'
import { notFound } from '../../http/request/errors.ts'
import { template } from '../../http/request/template.ts'
import { formatCount } from '../../i18n/format.ts'
import { cellOf, isFlexible } from '../../view/column-kinds.ts'
import { viewOfFilters, viewOfFolds } from './filters.ts'
import { type AnyList, type BulkAction, type Column, type List, type ListState, listPath, type RowNotes } from './list.ts'
import { loadPage } from './page.ts'
import { isHidden, isNarrowed, isSorted, shownColumns, stateQuery } from './state.ts'

export function viewOfList<Row extends { id: number }>(request: FastifyRequest, list: List<Row>, requested: ListState, all?: number[]) {
  const loaded = loadPage(request, list, requested, all)
  const { rest, total, open, page, pages, from, to } = loaded
  const state = { ...requested, page }
  const path = url(request.server, list.place?.path ?? listPath(list))
  const link = (changes: Partial<ListState>) => path + stateQuery(list, state, { page: 1, ...changes })
  const query = stateQuery(list, state)
  const kind = request.server.records.get(list.name)
  const deletes = !kind?.deletion?.single && list.may.delete !== undefined && allows(list.may.delete, request.actor)
  const bulkActions = bulkActionsOf(request, list)
  const seen = list.columns.filter(maySee(request.actor))
  const columns = shownColumns(list, request.actor, state)
  const picks = deletes || bulkActions.length > 0
  return {
    rows: permitRows(request, list, withCells(request, columns, loaded.rows)),
    rest,
    total,
    from,
    to,
    pages,
    name: list.name,
    title: list.title,
    events: list.rows.events,
    rowTemplate: rowTemplateOf(list).template,
    searched: list.searched,
    tools: list.around?.tools?.template,
    labelOf: labeller(request, list),
    page: pagesPath(request, list),
    empty: list.empty,
    add: list.add,
    fixed: Object.entries(list.place?.query ?? {}),
    may: list.may,
    deletes,
    picks,
    bulkActions: bulkActions.map((action) => ({ ...action, path: url(request.server, action.path) })),
    path,
    lines: list.sheet?.lines !== undefined,
    exports: exportsOf(request, list, state),
    savedView: request.server.savedViews.findSavedView(request, list.name, query),
    savable: query !== '' && !list.place && kind?.list !== undefined,
    shareable: request.actor.group_id === group.administrator,
    imports: !list.place && kind?.imports !== undefined,
    query,
    stateFields: [...new URLSearchParams(query)],
    state,
    columns: columns.map((column) => viewOfColumn(request, { told: list.rows.events, ...column }, state, link)),
    labels: Object.fromEntries(list.columns.map(({ key, label }) => [key, request.t(label)])),
    shown: Object.fromEntries(columns.map(({ key }) => [key, true])),
    optional: seen
      .filter((column) => isHidden(column, request.actor))
      .map(({ key, label }) => ({
        key,
        label,
        shown: state.cols.includes(key),
        href: link({ page, cols: toggled(state.cols, key) }),
      })),
    usualColumns: link({ page, cols: [] }),
    sorted: isSorted(state),
    sortedBy: columns.some(({ key, sort }) => sort && key === state.sort) ? undefined : seen.find(({ key }) => key === state.sort)?.label,
    sizes: list.sizes.map((size) => ({ size, current: size === state.size, href: link({ size }) })),
    totalShown: open ? formatCount(total) : total,
    pager: pagerLinks(loaded, (page) => link({ page })),
    ...viewOfFilters(request, list, state, link),
    folds: viewOfFolds(request, list, state, link),
    narrowed: isNarrowed(state),
    filtered: isNarrowed({ ...state, q: '' }),
    clearAll: link({ q: '', filters: state.usual.filters }),
    back: query && !list.place ? `?back=${encodeURIComponent(query)}` : '',
    more: query.replace('?', '&'),
  }
}

function exportsOf<Row>(context: Context, list: List<Row>, state: ListState) {
  if (!allows(list.may.export ?? list.may.list, context.actor) || (list.place && !list.place.alone)) return undefined
  const query = stateQuery({ ...list, place: list.place?.alone && { ...list.place, query: list.place.alone } }, state)
  return { path: url(context.server, `${listPath(list)}/export`), more: query.replace('?', '&') }
}

function bulkActionsOf({ server, actor }: Context, { name, place }: AnyList): BulkAction[] {
  if (place) return []
  const offered = server.bulkActions.filter(({ list, isOffered }) => list === name && (isOffered?.(server.db) ?? true))
  return offered.filter(({ rule }) => allows(rule, actor))
}

const recordRows = template<{ list: ListView }>('components/record-rows.njk')

export const rowTemplateOf = <Row>({ rows: { template } }: List<Row>): { template: string } => (template ? { template } : recordRows)

/** Cards of records without a declaration of their own are where those of most are. */
function cardsPath({ server }: Context, { name }: AnyList): string {
  return url(server, `${server.records.get(name)?.card?.path ?? `/${name}`}/edit/`)
}

/** Where the names of rows lead, followed by their ids. */
export function pagesPath(context: Context, list: AnyList): string {
  return list.page ? url(context.server, list.page) : cardsPath(context, list)
}

export type ListView = ReturnType<typeof viewOfList>

type PermittedRow<Row> = Row & {
  may: Record<'view' | 'edit' | 'delete' | 'switch' | 'impersonate' | 'schedule', boolean>
  /** Why its deletion is not offered. */
  kept?: string
}

/** Rows with what columns hold that are read only where they are shown. */
export function withCells<Row extends { id: number }>(context: Context, columns: readonly Column[], rows: Row[]): Row[] {
  const ids = rows.map(({ id }) => id)
  const read = columns.flatMap(({ key, load }) => (load ? [[key, load(ids, context)] as const] : []))
  return read.length === 0
    ? rows
    : rows.map((row) => ({ ...row, ...Object.fromEntries(read.map(([key, cells]) => [key, cells.get(row.id)])) }))
}

/** Rows with what this person may do with them. */
export function permitRows<Row extends { id: number }>(context: Context, list: List<Row>, rows: Row[]): PermittedRow<Row>[] {
  const permitted = rows.map(addRowPermissions(list, context.actor))
  const deletable = permitted.filter(({ may }) => may.delete)
  const refuse = context.server.records.get(list.name)?.deletion?.refusal
  if (deletable.length === 0 || !refuse) return permitted
  const { ids, reason } = refuse(
    context,
    deletable.map(({ id }) => id),
  )
  const refused = new Set(ids)
  const labelOf = labeller(context, list)
  for (const row of deletable) {
    if (!refused.has(row.id)) continue
    row.may.delete = false
    row.kept = context.t(reason, { names: labelOf(row) })
  }
  return permitted
}

function addRowPermissions<Row extends object>({ may }: List<Row>, actor: Actor) {
  const authorizerFor = (action: string) => (may[action] ? authorizer(may[action], actor) : () => false)
  const [view, edit, remove, turn, impersonate, schedule] = [
    authorizerFor('view'),
    authorizerFor('edit'),
    authorizerFor('delete'),
    authorizerFor('switch'),
    authorizerFor('impersonate'),
    authorizerFor('schedule'),
  ]
  return (row: Row) => {
    const permitted = row as PermittedRow<Row>
    permitted.may = {
      ...{ view: view(row), edit: edit(row), delete: remove(row) },
      ...{ switch: turn(row), impersonate: impersonate(row), schedule: schedule(row) },
    }
    return permitted
  }
}

export interface SwitchCell {
  list: { name: string; path: string }
  row: PermittedRow<object>
  key: string
  label: string
  name: string
}

export function viewOfSwitch<Row extends { id: number }>(context: Context, list: List<Row>, id: number, key: string): SwitchCell {
  const [row] = permitRows(context, list, list.rows.load([id], context))
  const column = list.columns.find((one) => one.key === key)
  if (!row || !column) throw notFound()
  const { name } = list
  return {
    list: { name, path: url(context.server, `/${name}`) },
    row,
    key,
    label: context.t(column.label),
    name: labeller(context, list)(row),
  }
}

/** What a row is called: where it does not say, what the cell holds that leads to its card. */
function labeller({ language }: Context, { name, columns }: AnyList) {
  const opening = columns.find(({ opens }) => opens)?.key ?? 'name'
  return (row: RowNotes & Record<string, unknown>) => recordLabelFor(language, name, row.label ?? String(row[opening] ?? ''))
}

function viewOfColumn(
  { t }: Context,
  { key, label, kind, cell, narrows, opens, told, words, sort }: Column,
  state: ListState,
  link: (changes: Partial<ListState>) => string,
) {
  const column = {
    key,
    label,
    text: t(label),
    told: told && t(label),
    kind,
    words,
    opens,
    narrows,
    cell: cell ?? (words ? 'word' : cellOf(kind)),
    flexible: isFlexible(kind),
  }
  if (!sort) return column
  const current = key === state.sort
  const dir = current && state.dir === 'asc' ? ('desc' as const) : ('asc' as const)
  const icon = !current ? 'selector' : state.dir === 'asc' ? 'chevron-up' : 'chevron-down'
  return { ...column, href: link({ sort: key, dir }), sorted: current ? `${state.dir}ending` : 'none', icon }
}

function toggled(keys: string[], key: string): string[] {
  return keys.includes(key) ? keys.filter((other) => other !== key) : [...keys, key]
}

function pagerLinks({ page, pages, open }: { page: number; pages: number; open: boolean }, link: (page: number) => string) {
  const near = [page - 2, page - 1, page, page + 1, page + 2].filter((number) => number >= 1 && number <= pages)
  return {
    first: page > 1 ? link(1) : undefined,
    previous: page > 1 ? link(page - 1) : undefined,
    near: near.map((number) => ({ number, current: number === page, href: link(number) })),
    next: page < pages ? link(page + 1) : undefined,
    last: page < pages && !open ? link(pages) : undefined,
  }
}
