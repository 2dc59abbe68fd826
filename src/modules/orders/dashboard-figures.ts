import type { FastifyRequest } from 'fastify'
import { seesPrices } from '../../core/prices.ts'
import { findSettings } from '../../database/settings.ts'
import type { Context } from '../../http/request/context.ts'
import { queryOf } from '../../http/request/input.ts'
import { fragment, template } from '../../http/request/template.ts'
import { formatCalendarDate, formatCount, formatDateTimeInput, formatPeriod } from '../../i18n/format.ts'
import { usualSymbol } from '../../i18n/money.ts'
import { countOf } from '../../records/list/count.ts'
import { type Chart, lastWeeks, makeChart, unlessAlone } from '../../view/chart.ts'
import { ordersByStatus } from '../workflow/load.ts'
import { orderList } from './list.ts'
import { longestOverdue, seenOrders } from './queues.ts'
import { type Totals, totalsOf } from './totals.ts'
import { stuckDays } from './waiting.ts'

interface Figure {
  label: string
  value: string
  address: string
}

interface Tile extends Figure {
  /** What is overdue is red wherever it is counted. */
  late?: boolean
  /** What its label leaves open. */
  note?: string
  /** Of what counts this month: the last one up to the same day, in a few words and in all. */
  before?: { brief: string; text: string; address: string; trend: 'up' | 'down' | 'same' }
}

interface Figures {
  tiles: Tile[]
  /** Which of the curves is drawn, where there are two. */
  curves: { label: string; href: string; current: boolean }[]
  /** Nothing before there are two values to compare. */
  weeks: Chart | undefined
}

/** What a curve is of: a number of orders, or what they cost. */
interface Measure {
  of: 'count' | 'kopecks'
  /** What the address calls it. */
  name: string
  unit: string
  label: string
  title: string
  head: string
  format: (value: number) => string
}

export const figuresPart = template<{ widget: Figures | undefined }>('orders/dashboard/figures.njk')

/** What is late, as numbers, and how orders or amounts went in the last twelve weeks; nothing before the first order. */
export const figuresWidget = fragment(figuresPart, (request: FastifyRequest) => ({
  widget: hasOrders(request) ? viewOfFigures(request) : undefined,
}))

const hasOrders = ({ server }: Context) => [...ordersByStatus(server.db).values()].some((count) => count > 0)

function viewOfFigures(request: FastifyRequest): Figures {
  const measures = measuresFor(request)
  const wanted = queryOf(request).get('chart')
  const drawn = measures.find(({ name }) => name === wanted) ?? (measures[0] as Measure)
  const months = [totalsOfMonth(request, 0), totalsOfMonth(request, -1)] as const
  return {
    tiles: [...viewOfLateness(request), ...measures.map((measure) => compareMonths(request, measure, months))],
    curves: measures.map((measure) => ({ label: measure.unit, href: `/?chart=${measure.name}#trend`, current: measure === drawn })),
    weeks: unlessAlone(viewOfWeeks(request, drawn)),
  }
}

function viewOfLateness(context: Context): Tile[] {
  const { t } = context
  const [overdue, stuck] = [
    countedTile(context, t('Overdue orders'), 'overdue=1'),
    countedTile(context, t('No progress'), `stuck=${stuckDays}`),
  ]
  const [longest] = longestOverdue(context, seenOrders(context), 1)
  const note = longest?.overdue ? t('the oldest {count} days', { count: longest.overdue.days }) : t('all in time')
  return [
    { ...overdue, late: overdue.value !== '0', note },
    { ...stuck, late: stuck.value !== '0', note: t('{number} days or more', { number: stuckDays }) },
  ]
}

export function countedTile({ server, actor }: Context, label: string, query: string): Tile {
  const value = formatCount(countOf(server.db, orderList(server.db), actor, query))
  return { label, value, address: `/orders?${query}` }
}

function measuresFor({ actor, server, t }: Context): Measure[] {
  const symbol = findSettings(server.db).currency_symbol ?? usualSymbol
  const count = { of: 'count', name: 'count', unit: t('Orders'), title: t('Orders by week'), head: t('Orders') } as const
  const amount = { of: 'kopecks', name: 'amount', unit: symbol, title: t('Amounts by week'), head: t('Amount') } as const
  return [
    { ...count, label: t('Orders this month'), format: formatCount },
    ...(seesPrices(actor) ? [{ ...amount, label: t('Revenue this month'), format: (kopecks: number) => t.money(kopecks, 0) }] : []),
  ]
}

function viewOfWeeks(context: Context, { of, title, head, format }: Measure): Chart {
  const values = lastWeeks(12).map(({ from, until }) => {
    const { address, ...totals } = totalsOf(context, { created_from: from, created_until: until })
    return {
      name: `${formatCalendarDate(from)} – ${formatCalendarDate(until)}`,
      short: formatPeriod(from, from, context.language),
      value: totals[of],
      text: format(totals[of]),
      address,
    }
  })
  return makeChart(title, [context.t('Week'), head], values, format)
}

type MonthTotals = Totals & Record<'from' | 'until', string>

/** Of fewer orders a percentage says more than there is to say. */
const fewestToCompare = 10

/** The orders of this month, or of the last one up to the same day. */
function totalsOfMonth(context: Context, offset: 0 | -1): MonthTotals {
  const now = new Date(Date.now())
  const [year, month] = [now.getFullYear(), now.getMonth() + offset]
  const lastDay = Math.min(now.getDate(), new Date(year, month + 1, 0).getDate())
  const dayOf = (day: number) => formatDateTimeInput(new Date(year, month, day).getTime()).slice(0, 10)
  const [from, until] = [dayOf(1), dayOf(lastDay)]
  return { ...totalsOf(context, { created_from: from, created_until: until }), from, until }
}

function compareMonths(
  { t, language }: Context,
  { of, label, format }: Measure,
  [month, before]: readonly [MonthTotals, MonthTotals],
): Tile {
  const [value, earlier] = [month[of], before[of]]
  const period = formatPeriod(before.from, before.until, language)
  const tile = { label, value: format(value), address: month.address }
  const compared = (brief: string, text: string, trend: 'up' | 'down' | 'same' = 'same') => ({
    ...tile,
    before: { brief, text, address: before.address, trend },
  })
  if (earlier === 0) return compared(t('No orders {period}', { period }), t('None by this date last month'))
  const was = format(earlier)
  const trend = value > earlier ? 'up' : value < earlier ? 'down' : 'same'
  const sign = { up: '+', down: '−', same: '' }[trend]
  if (before.count < fewestToCompare) {
    const change = sign + format(Math.abs(value - earlier))
    return compared(t('{change} vs. {period}', { change, period }), t('By this date last month: {value}', { value: was }), trend)
  }
  const percent = Math.abs(Math.round((value / earlier - 1) * 100))
  const change = (percent ? sign : '') + t('{percent}%', { percent })
  return compared(
    t('{change} vs. {period}', { change, period }),
    t('{change} vs. this date last month: {value}', { change, value: was }),
    trend,
  )
}
