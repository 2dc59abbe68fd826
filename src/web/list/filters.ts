import type { FastifyRequest } from 'fastify'
import { showDay } from '../view/format.ts'
import { countable } from './rows.ts'
import { type Filter, type List, type ListState, queryOf } from './state.ts'

type Link = (changes: Partial<ListState>) => string

/** What the list template draws of the filters: tabs with counts, choices still open, and chips that take one off. */
export function viewFilters<Row>(request: FastifyRequest, list: List<Row>, state: ListState, link: Link) {
  const filters = list.filters ?? []
  const tabs = filters.find((filter) => filter.counts)
  const others = filters.filter((filter) => filter !== tabs)
  return {
    tabs: tabs && viewTabs(request, list, tabs, state, link),
    filters: others.map((filter) => viewFilter(request, filter, state, link)),
  }
}

/** More options than these are worth a page only once somebody wants to choose. */
const few = 30

function viewFilter(request: FastifyRequest, filter: Filter, state: ListState, link: Link) {
  const value = state.filters[filter.name]
  const choosing = queryOf(request).get('choose') === filter.name
  const options = filter.options(request, value || choosing ? undefined : few + 1)
  const chosen = value && (options.find((option) => option.value === value)?.label ?? (filter.input ? showDay(value) : value))
  const here = link({ page: state.page })
  const choose = !choosing && options.length > few && `${here}${here.includes('?') ? '&' : '?'}choose=${filter.name}`
  return { ...filter, options, value, chosen, choosing, choose, off: link({ filters: without(state, filter) }) }
}

function viewTabs<Row>(request: FastifyRequest, list: List<Row>, filter: Filter, state: ListState, link: Link) {
  const filters = without(state, filter)
  const { db } = request.server
  const counted = countable(db, list, request.actor, { ...state, filters })
  const counts = counted && filter.counts?.(db, counted.where)
  const current = state.filters[filter.name]
  const links = filter.options(request).map(({ value, label }) => ({
    value,
    label,
    count: counts && (counts.get(value) ?? 0),
    href: link({ filters: { ...filters, [filter.name]: value } }),
    current: value === current,
  }))
  return { name: filter.name, label: filter.label, value: current, links, all: { href: link({ filters }), current: !current } }
}

function without({ filters }: ListState, { name }: Filter): Record<string, string> {
  return Object.fromEntries(Object.entries(filters).filter(([other]) => other !== name))
}
