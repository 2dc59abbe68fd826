import { formatCalendarDate, formatDateTimeInput } from '../../i18n/format.ts'
import type { Translate } from '../../i18n/translate.ts'
import type { Filter } from './list.ts'

type Range = NonNullable<Filter['range']>

/** The two filters of a range, where both are offered. */
export function boundsOf(filters: readonly Filter[], { label }: Range): [from: Filter, until: Filter] {
  const ofRange = (bound: Range['bound']) => filters.find(({ range }) => range?.label === label && range.bound === bound) as Filter
  return [ofRange('from'), ofRange('until')]
}

/** A range as its tag says it: both ends, or the one that there is. */
export function formatRange(t: Translate, input: Filter['input'], from: string | undefined, until: string | undefined): string {
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
export function presetsOf({ ahead }: Range): Preset[] {
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
