import { type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { Guarded } from '../../core/access.ts'
import { parseDateTimeInput } from '../../i18n/format.ts'
import type { Filter } from './list.ts'

type Bound = '>=' | '<='
type Condition = (value: string, bound: Bound) => SQL | undefined

/** A filter by a column that holds one of a few words. */
export function wordFilter(name: string, label: string, labels: Readonly<Record<string, string>>, column: SQLiteColumn | SQL): Filter {
  return {
    name,
    label,
    options: ({ t }) => Object.entries(labels).map(([value, text]) => ({ value, label: t(text) })),
    where: (value) => (Object.hasOwn(labels, value) ? sql`${column} = ${value}` : undefined),
  }
}

/** Two filters of a list by days, of moments or as such: `from` and `until`, that day included. */
export function periodFilters(condition: Condition): Filter[] {
  return rangeOf('Period', [rangeFilter('from', 'From', '>=', 'date', condition), rangeFilter('until', 'To', '<=', 'date', condition)])
}

export function rangeFilters(
  name: string,
  labels: [range: string, from: string, until: string],
  input: 'date' | 'number',
  condition: Condition,
  guard: Guarded & Pick<Filter, 'amount'> = {},
): Filter[] {
  const [label, from, until] = labels
  const ends = [rangeFilter(`${name}_from`, from, '>=', input, condition), rangeFilter(`${name}_until`, until, '<=', input, condition)]
  return rangeOf(label, ends).map((filter) => ({ ...filter, ...guard, further: true }))
}

function rangeOf(label: string, ends: Filter[]): Filter[] {
  return ends.map((filter, index) => ({ ...filter, range: { label, bound: index === 0 ? 'from' : 'until' } }))
}

export const inPeriod =
  (at: SQLiteColumn): Condition =>
  (day, bound) => {
    const start = startOf(day)
    if (start === undefined) return undefined
    return bound === '>=' ? sql`${at} >= ${start}` : sql`${at} < ${nextDay(start)}`
  }

export const betweenDays =
  (date: SQLiteColumn): Condition =>
  (day, bound) =>
    isDay(day) ? sql`${date} ${sql.raw(bound)} ${day}` : undefined

export const isDay = (text: string): boolean => startOf(text) !== undefined

function rangeFilter(name: string, label: string, bound: Bound, input: 'date' | 'number', condition: Condition): Filter {
  return { name, label, input, where: (value) => condition(value, bound) }
}

function startOf(day: string): number | undefined {
  return parseDateTimeInput(`${day}T00:00`)
}

function nextDay(start: number): number {
  return new Date(start).setDate(new Date(start).getDate() + 1)
}
