import type { FastifyRequest } from 'fastify'
import { type Actor, allows, judgeOf } from '../../core/access.ts'
import { url } from '../http.ts'
import { showMany } from '../view/format.ts'
import { viewFilters } from './filters.ts'
import { loadPage } from './rows.ts'
import { type Column, type List, type ListState, stateQuery } from './state.ts'

/** What the list template draws: rows, and every link and label around them. */
export function listView<Row extends { id: number }>(request: FastifyRequest, list: List<Row>, asked: ListState, most?: number) {
  const found = loadPage(request.server.db, list, request.actor, asked, most)
  const { rest, total, open, page, pages, from, to } = found
  const state = { ...asked, page }
  const path = url(request.server, list.place?.path ?? `/${list.name}`)
  const link = (changes: Partial<ListState>) => path + stateQuery(list, state, { page: 1, ...changes })
  const query = stateQuery(list, state)
  const columns = list.columns.filter(({ key, hidden }) => !hidden || state.cols.includes(key))
  const { tabs, filters } = viewFilters(request, list, state, link)
  return {
    rows: found.rows.map(offering(list, request.actor)),
    rest,
    total,
    from,
    to,
    pages,
    name: list.name,
    title: list.title,
    template: list.template,
    tools: list.tools,
    empty: list.empty,
    add: list.add,
    fixed: Object.entries(list.place?.query ?? {}),
    may: list.may,
    deletes: list.bulk && list.may.delete !== undefined && allows(list.may.delete, request.actor),
    path,
    query,
    stateFields: [...new URLSearchParams(query)],
    state,
    columns: columns.map((column) => heading(column, state, link)),
    shown: Object.fromEntries(columns.map(({ key }) => [key, true])),
    optional: list.columns
      .filter((column) => column.hidden)
      .map(({ key, label }) => ({
        key,
        label,
        shown: state.cols.includes(key),
        href: link({ page, cols: toggled(state.cols, key) }),
      })),
    sorted: state.sort !== list.sort.key || state.dir !== list.sort.dir,
    sizes: list.sizes.map((size) => ({ size, current: size === state.size, href: link({ size }) })),
    totalShown: open ? showMany(total) : total,
    pager: pagerLinks(found, (page) => link({ page })),
    tabs,
    filters,
    narrowed: state.q !== '' || Object.keys(state.filters).length > 0,
    clear: link({ q: '' }),
    clearAll: link({ q: '', filters: {} }),
    /** Carried by links to a card, so that the way back leads to the list as it was. */
    back: query ? `?back=${encodeURIComponent(query)}` : '',
    /** The same state behind a parameter of an action. */
    more: query.replace('?', '&'),
  }
}

/** Adds to a row what this person may do with it. */
export function offering<Row extends object>({ may }: List<Row>, actor: Actor) {
  const judge = (action: string) => (may[action] ? judgeOf(may[action], actor) : () => false)
  const [view, edit, remove, turn, impersonate] = [judge('view'), judge('edit'), judge('delete'), judge('switch'), judge('impersonate')]
  return (row: Row) => {
    const offered = row as Row & { may: Record<string, boolean> }
    offered.may = { view: view(row), edit: edit(row), delete: remove(row), switch: turn(row), impersonate: impersonate(row) }
    return offered
  }
}

function heading({ key, label, sort }: Column, state: ListState, link: (changes: Partial<ListState>) => string) {
  if (!sort) return { key, label }
  const current = key === state.sort
  const dir = current && state.dir === 'asc' ? ('desc' as const) : ('asc' as const)
  const icon = !current ? 'selector' : state.dir === 'asc' ? 'chevron-up' : 'chevron-down'
  return { key, label, href: link({ sort: key, dir }), sorted: current ? `${state.dir}ending` : 'none', icon }
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
