import { group } from '../../core/access.ts'
import { seesPrices } from '../../core/prices.ts'
import type { Context } from '../../http/request/context.ts'
import { fragment, template } from '../../http/request/template.ts'
import { formatCalendarDate, formatCount, formatDateTimeInput, formatPercent } from '../../i18n/format.ts'
import { countOf } from '../../records/list/rows.ts'
import { type Chart, lastWeeks, makeChart } from '../../view/chart.ts'
import { ordersByStatus } from '../workflow/load.ts'
import { orderList } from './list.ts'
import { type Totals, totalsOf } from './totals.ts'

interface Tile {
  label: string
  value: string
  address: string
}

interface Trend extends Tile {
  before: { text: string; address: string; trend: 'up' | 'down' | 'same' }
  weeks: Chart
}

/** What a trend is of: a number of orders, or what they cost. */
interface Measure {
  of: 'count' | 'kopecks'
  label: string
  title: string
  head: string
  format: (value: number) => string
}

const stuckDays = 14

const figuresPart = template<{ widget: { tiles: Tile[]; trends: Trend[] } | undefined }>('orders/dashboard/figures.njk')

/** What waits, as numbers, and how orders and amounts went in the last twelve weeks; nothing before the first order. */
export const figuresWidget = fragment(figuresPart, (context: Context) => ({
  widget: hasOrders(context) ? { tiles: viewOfTiles(context), trends: viewOfTrends(context) } : undefined,
}))

const hasOrders = ({ server }: Context) => [...ordersByStatus(server.db).values()].some((count) => count > 0)

function viewOfTiles(context: Context): Tile[] {
  const { t } = context
  return [
    countedTile(context, t('Waiting for you'), 'waiting=1'),
    ...(context.actor.group_id === group.manager
      ? [countedTile(context, t('New, not sent'), 'unsent=1&sort=since&dir=asc&cols=since')]
      : []),
    countedTile(context, t('Overdue orders'), 'overdue=1'),
    countedTile(context, t('No progress for {count} days', { count: stuckDays }), `stuck=${stuckDays}`),
  ]
}

function countedTile({ server, actor }: Context, label: string, query: string): Tile {
  return { label, value: formatCount(countOf(server.db, orderList(server.db), actor, query)), address: `/orders?${query}` }
}

function viewOfTrends(context: Context): Trend[] {
  const { actor, t } = context
  if (actor.group_id === group.production) return []
  const weeks = lastWeeks(12).map((week) => ({ ...week, ...totalsOf(context, { created_from: week.from, created_until: week.until }) }))
  const months = [totalsOfMonth(context, 0), totalsOfMonth(context, -1)] as const
  const measures: Measure[] = [
    { of: 'count', label: t('Orders this month'), title: t('Orders by week'), head: t('Orders'), format: formatCount },
    {
      of: 'kopecks',
      label: t('Revenue this month'),
      title: t('Amounts by week'),
      head: t('Amount'),
      format: (kopecks) => t.money(kopecks, 0),
    },
  ]
  const seen = measures.filter(({ of }) => of === 'count' || seesPrices(actor))
  return seen.map((measure) => ({ ...compareMonths(context, measure, months), weeks: viewOfWeeks(context, measure, weeks) }))
}

function viewOfWeeks({ t }: Context, { of, title, head, format }: Measure, weeks: (Totals & { from: string; until: string })[]) {
  const values = weeks.map(({ from, until, address, ...totals }) => ({
    name: `${formatCalendarDate(from)} – ${formatCalendarDate(until)}`,
    short: formatCalendarDate(from).slice(0, 5),
    value: totals[of],
    text: format(totals[of]),
    address,
  }))
  return makeChart(title, [t('Week'), head], values)
}

/** The orders of this month, or of the last one up to the same day. */
function totalsOfMonth(context: Context, offset: 0 | -1): Totals {
  const now = new Date(Date.now())
  const [year, month] = [now.getFullYear(), now.getMonth() + offset]
  const lastDay = Math.min(now.getDate(), new Date(year, month + 1, 0).getDate())
  const dayOf = (day: number) => formatDateTimeInput(new Date(year, month, day).getTime()).slice(0, 10)
  return totalsOf(context, { created_from: dayOf(1), created_until: dayOf(lastDay) })
}

function compareMonths({ t }: Context, { of, label, format }: Measure, [month, before]: readonly [Totals, Totals]) {
  const [value, earlier] = [month[of], before[of]]
  const percent = earlier > 0 ? Math.round((value / earlier - 1) * 100) : 0
  const change = `${percent > 0 ? '+' : percent < 0 ? '−' : ''}${formatPercent(Math.abs(percent))}`
  const text =
    earlier > 0 ? t('{change} vs. this date last month: {value}', { change, value: format(earlier) }) : t('None by this date last month')
  const trend = percent > 0 ? ('up' as const) : percent < 0 ? ('down' as const) : ('same' as const)
  return { label, value: format(value), address: month.address, before: { text, address: before.address, trend } }
}
