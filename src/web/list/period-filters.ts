import { type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { parseDateTimeInput } from '../view/format.ts'
import type { Filter } from './state.ts'

/** Two filters of a list by days: `from` and `until`, that day included. */
export function periodFilters(at: SQLiteColumn): Filter[] {
  return [
    {
      name: 'from',
      label: 'From',
      input: 'date',
      options: () => [],
      where: (value) => dayStart(value, (start) => sql`${at} >= ${start}`),
    },
    {
      name: 'until',
      label: 'To',
      input: 'date',
      options: () => [],
      where: (value) => dayStart(value, (start) => sql`${at} < ${nextDay(start)}`),
    },
  ]
}

function dayStart(day: string, condition: (start: number) => SQL): SQL | undefined {
  const start = parseDateTimeInput(`${day}T00:00`)
  return start === undefined ? undefined : condition(start)
}

function nextDay(start: number): number {
  return new Date(start).setDate(new Date(start).getDate() + 1)
}
