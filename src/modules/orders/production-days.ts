import { type SQL, sql } from 'drizzle-orm'
import { addDays } from '../../core/days.ts'
import { type Database, orderItems, orders, selectRows } from '../../database/index.ts'
import type { Context } from '../../http/request/context.ts'
import { countLimit, shortDateFormatter, today } from '../../i18n/format.ts'

const weekdays = { en: new Intl.DateTimeFormat('en', { weekday: 'long' }), ru: new Intl.DateTimeFormat('ru', { weekday: 'long' }) }
const longDates = { en: shortDateFormatter('en', 'long'), ru: shortDateFormatter('ru', 'long') }

/** The heading of an order where orders are sorted by production date: the day, and whether it has passed. */
export function productionDays({ t, language }: Pick<Context, 't' | 'language'>) {
  const now = today()
  const tomorrow = addDays(now, 1)
  return (date: string | null): { day: string; passed: boolean } => {
    if (date === null) return { day: t('No production date'), passed: false }
    if (date < now) return { day: t('Before today'), passed: true }
    const noon = new Date(`${date}T12:00`)
    const day = longDates[language](noon.getTime())
    if (date === now) return { day: t('Today, {day}', { day }), passed: false }
    if (date === tomorrow) return { day: t('Tomorrow, {day}', { day }), passed: false }
    const weekday = weekdays[language].format(noon)
    return { day: `${weekday.charAt(0).toUpperCase()}${weekday.slice(1)}, ${day}`, passed: false }
  }
}

/** How many orders have one heading where they are sorted by production date, and how many pieces. */
export interface DayTotal {
  orders: number
  pieces: number
}

/** Of the orders of a queue, by production date; those that had to be made before today are one. */
export function totalsByDay(db: Database, where: SQL | undefined): (date: string | null) => DayTotal | undefined {
  const now = today()
  const pieces = sql`(select ifnull(sum(${orderItems.quantity}), 0) from ${orderItems} where ${orderItems.order_id} = ${orders.id})`
  const queue = sql`select iif(date_make < ${now}, '', date_make) as day, ${pieces} as pieces from ${orders} where ${where} limit ${countLimit}`
  const rows = selectRows<[string | null, number, number]>(db, sql`select day, count(*), sum(pieces) from (${queue}) group by day`)
  const totals = new Map(rows.map(([day, orders, pieces]) => [day, { orders, pieces }]))
  return (date) => totals.get(date !== null && date < now ? '' : date)
}
