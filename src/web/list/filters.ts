import type { FastifyRequest } from 'fastify'
import { showDay } from '../view/format.ts'
import { conditionOf } from './rows.ts'
import type { Filter, List, ListState } from './state.ts'

type Link = (changes: Partial<ListState>) => string

/** What the list template draws of the filters: tabs with counts, choices still open, and chips that take one off. */
export function viewFilters<Row>(request: FastifyRequest, list: List<Row>, state: ListState, link: Link) {
  const filters = list.filters ?? []
  const tabs = filters.find((filter) => filter.counts)
  const others = filters.filter((filter) => filter !== tabs)
  return {
    tabs: tabs && viewTabs(request, list, tabs, state, link),
    filters: others.map((filter) => {
      const value = state.filters[filter.name]
      const options = filter.options(request)
      const chosen = value && (options.find((option) => option.value === value)?.label ?? (filter.input ? showDay(value) : value))
      return { ...filter, options, value, chosen, off: link({ filters: without(state, filter) }) }
    }),
  }
}

function viewTabs<Row>(request: FastifyRequest, list: List<Row>, filter: Filter, state: ListState, link: Link) {
  const filters = without(state, filter)
  const counts = filter.counts?.(request.server.db, conditionOf(list, request.actor, { ...state, filters }))
  const current = state.filters[filter.name]
  const links = filter.options(request).map(({ value, label }) => ({
    label,
    count: counts?.get(value) ?? 0,
    href: link({ filters: { ...filters, [filter.name]: value } }),
    current: value === current,
  }))
  return { name: filter.name, label: filter.label, value: current, links, all: { href: link({ filters }), current: !current } }
}

function without({ filters }: ListState, { name }: Filter): Record<string, string> {
  return Object.fromEntries(Object.entries(filters).filter(([other]) => other !== name))
}
