import type { FastifyRequest } from 'fastify'
import { maySee } from '../../core/access.ts'
import { cachedUntilWrite } from '../../database/index.ts'
import type { Context } from '../../http/request/context.ts'
import { queryOf } from '../../http/request/input.ts'
import { formatCalendarDate, formatDateTimeInput } from '../../i18n/format.ts'
import type { Translate } from '../../i18n/translate.ts'
import { scopeAndFilters } from './conditions.ts'
import type { Filter, List, ListState } from './list.ts'
import { isNarrowed } from './state.ts'

export type Link = (changes: Partial<ListState>) => string

export function viewOfFilters<Row>(request: FastifyRequest, list: List<Row>, state: ListState, link: Link) {
  const filters = (list.filters ?? []).filter(maySee(request.actor))
  const tabs = filters.find((filter) => filter.counts)
  const others = filters.filter((filter) => filter !== tabs)
  const isUsed = (filter: Filter) =>
    (filter.range ? boundsOf(others, filter.range) : [filter]).some((one) => Boolean(chosenValue(one, state)))
  const further = others.filter((filter) => filter.further && (filter.range || !isUsed(filter)))
  const choosing = queryOf(request).get('choose')
  const isOpen = choosing === furtherFilters || further.some(({ name }) => name === choosing)
  const shown = isOpen ? others : others.filter((filter) => !filter.further || isUsed(filter))
  const ends = shown.filter(({ range }) => range?.bound !== 'until')
  const views = ends.map((filter) =>
    filter.range
      ? viewOfRange(request, filter.range, boundsOf(others, filter.range), state, link)
      : viewOfFilter(request, list, filter, state, link),
  )
  const ofTab = tabs && chosenValue(tabs, state) ? [viewOfFilter(request, list, tabs, state, link)] : []
  return {
    filters: views,
    narrowedBy: [...ofTab, ...views.filter(({ value }) => value)],
    furtherFilters: further.length > 0 && {
      isOpen,
      label: others.every(({ further }) => further) ? 'Filters' : 'More filters',
      href: chooseLink(link({ page: state.page }), furtherFilters),
    },
    clearFilters: views.filter(({ value }) => value).length > 1 && link({ filters: onlyTab(state, tabs) }),
    narrowed: isNarrowed(state),
    filtered: isNarrowed({ ...state, q: '' }),
    nothingFound: nothingFoundBy(filters, state),
    clearAll: link({ q: '', filters: state.usual.filters }),
  }
}

/** What the only filter says that finds nothing. */
function nothingFoundBy(filters: Filter[], state: ListState): string | undefined {
  const [only, ...others] = filters.filter((filter) => chosenValue(filter, state))
  if (!only?.nothingFound || others.length > 0) return undefined
  return typeof only.nothingFound === 'string' ? only.nothingFound : only.nothingFound[state.filters[only.name] ?? '']
}

/** What is chosen by a tab is no filter that one takes off. */
function onlyTab({ filters }: ListState, tab: Filter | undefined): Record<string, string> {
  return Object.fromEntries(Object.entries(filters).filter(([name]) => name === tab?.name))
}

/** One field for both ends. */
function viewOfRange({ t }: Context, range: NonNullable<Filter['range']>, ends: [Filter, Filter], state: ListState, link: Link) {
  const [from, until] = ends
  const [first, last] = [state.filters[from.name], state.filters[until.name]]
  const others = Object.fromEntries(Object.entries(state.filters).filter(([name]) => name !== from.name && name !== until.name))
  const presets = from.input === 'date' ? presetsOf(range) : []
  return {
    name: from.name,
    label: range.label,
    further: from.further,
    input: from.input,
    fields: ends.map(({ name, label }) => ({ name, label, value: state.filters[name] })),
    value: first ?? last,
    chosen: (first || last) && formatRange(t, from.input, first, last),
    off: link({ filters: others }),
    presets: presets.map((preset) => ({
      label: preset.label,
      href: link({ filters: { ...others, [from.name]: preset.from, [until.name]: preset.until } }),
      current: preset.from === first && preset.until === last,
    })),
  }
}

/** What somebody filters by; a usual value is nobody's choice. */
function chosenValue({ name }: Filter, { filters, usual }: ListState): string | undefined {
  return filters[name] === usual.filters[name] ? undefined : filters[name]
}

/** Opens the filters that are seldom used: they load only then, like long choices. */
const furtherFilters = 'filters'

function chooseLink(address: string, name: string): string {
  return `${address}${address.includes('?') ? '&' : '?'}choose=${name}`
}

/** More options than are taken in at a glance load when they are opened, with a search among them. */
const inlineOptionLimit = 8

function viewOfFilter<Row>(request: FastifyRequest, list: List<Row>, filter: Filter, state: ListState, link: Link) {
  const value = chosenValue(filter, state)
  const choosing = queryOf(request).get('choose') === filter.name
  const options = optionsOf(request, list, filter, value, value || choosing ? undefined : inlineOptionLimit + 1)
  const chosen =
    value &&
    (options.find((option) => option.value === value)?.label ?? nameOf(request, list, filter, value) ?? formatValue(request, filter, value))
  const choose = !choosing && options.length > inlineOptionLimit && chooseLink(link({ page: state.page }), filter.name)
  return { ...filter, options, value, chosen, choosing, choose, ...switchLinks(filter, state, link) }
}

export function optionsOf<Row>(context: Context, list: List<Row>, filter: Filter, value?: string, limit?: number) {
  const { server, actor, language } = context
  const { name, options } = filter
  const key = `options of ${list.name} ${name}=${value} for ${actor.id} in ${language}, ${limit}`
  return options ? cachedUntilWrite(server.db, key, () => options(context, limit, scopeAndFilters(list, actor))) : []
}

function nameOf<Row>(context: Context, list: List<Row>, filter: Filter, value: string) {
  return filter.nameOf?.(context, value, scopeAndFilters(list, context.actor))
}

function switchLinks(filter: Filter, state: ListState, link: Link) {
  const on = filter.input === 'flag' ? link({ filters: { ...state.filters, [filter.name]: '1' } }) : undefined
  return { on, off: link({ filters: withoutFilter(state, filter) }) }
}

function formatValue({ t }: Context, { input, options, nameOf }: Filter, value: string): string {
  if (options || nameOf) return t('no such value')
  if (input === 'flag') return ''
  return input === 'date' ? formatCalendarDate(value) : value
}

export function withoutFilter({ filters }: ListState, { name }: Filter): Record<string, string> {
  return Object.fromEntries(Object.entries(filters).filter(([other]) => other !== name))
}

type Range = NonNullable<Filter['range']>

/** The two filters of a range, where both are offered. */
function boundsOf(filters: readonly Filter[], { label }: Range): [from: Filter, until: Filter] {
  const ofRange = (bound: Range['bound']) => filters.find(({ range }) => range?.label === label && range.bound === bound) as Filter
  return [ofRange('from'), ofRange('until')]
}

/** A range as its tag says it: both ends, or the one that there is. */
function formatRange(t: Translate, input: Filter['input'], from: string | undefined, until: string | undefined): string {
  const format = (value: string) => (input === 'date' ? formatCalendarDate(value) : value)
  if (from && until) return `${format(from)} – ${format(until)}`
  const value = format(from ?? until ?? '')
  if (input === 'date') return from ? t('from {day}', { day: value }) : t('to {day}', { day: value })
  return from ? t('at least {number}', { number: value }) : t('at most {number}', { number: value })
}

interface Preset {
  label: string
  from: string
  until: string
}

/** Days that one asks for often: what was, or of dates that are planned what comes. */
function presetsOf({ ahead }: Range): Preset[] {
  const now = new Date(Date.now())
  const [year, month, day] = [now.getFullYear(), now.getMonth(), now.getDate()]
  const quarter = month - (month % 3)
  const days = ahead ? { label: 'Next 7 days', first: day, last: day + 6 } : { label: 'Last 7 days', first: day - 6, last: day }
  return [
    { label: days.label, from: dayOf(year, month, days.first), until: dayOf(year, month, days.last) },
    { label: 'This month', from: dayOf(year, month, 1), until: dayOf(year, month + 1, 0) },
    { label: 'This quarter', from: dayOf(year, quarter, 1), until: dayOf(year, quarter + 3, 0) },
  ]
}

const dayOf = (year: number, month: number, day: number) => formatDateTimeInput(new Date(year, month, day).getTime()).slice(0, 10)
