import { allows } from '../../core/access.ts'
import { seesPrices } from '../../core/prices.ts'
import type { Context } from '../../http/request/context.ts'
import { countOf } from '../../records/list/count.ts'
import { lastMonths, makeChart } from '../../view/chart.ts'
import type { Company } from '../companies/company.ts'
import { orderAccess } from '../orders/access.ts'
import { oldestInStatus, seenOrders } from '../orders/dashboard.ts'
import { orderList } from '../orders/list.ts'
import { withProducts } from '../orders/pricing/lines.ts'
import { orderAddress, totalsOf } from '../orders/totals.ts'
import { openStatuses } from '../orders/waiting.ts'
import { loadWorkflow } from '../workflow/load.ts'

const shown = 8
const stuckDays = 14

/** The orders of a company, of a dealer or with a product that somebody sees: those in progress, and what waits among them. */
export function viewOfOrders(context: Context, of: 'company' | 'dealer' | 'product', id: number) {
  const { server, actor, t } = context
  if (!allows(orderAccess.list, actor)) return undefined
  const filter = { [of]: String(id) }
  const open = openStatuses(loadWorkflow(server.db))
  const rows = oldestInStatus(context, seenOrders(context, filter), open, shown)
  return {
    of,
    rows: withProducts(server.db, rows),
    open: countOrders(context, t('In progress'), { ...filter, open: '1' }),
    waiting: [
      countOverdue(context, filter),
      countOrders(context, t('No progress for {count} days', { count: stuckDays }), { ...filter, stuck: String(stuckDays) }),
    ],
    all: countOrders(context, t('All orders'), filter),
  }
}

function countOrders({ server, actor }: Context, label: string, filters: Record<string, string>) {
  const count = countOf(server.db, orderList(server.db), actor, String(new URLSearchParams(filters)))
  return { label, count, address: orderAddress(filters) }
}

function countOverdue(context: Context, filter: Record<string, string>) {
  const overdue = countOrders(context, context.t('Overdue orders'), { ...filter, overdue: '1' })
  return { ...overdue, late: overdue.count > 0 }
}

/** What the orders of a company come to by month, for those who see prices. */
export function viewOfMonths(context: Context, { id }: Company) {
  const { t, language, actor } = context
  if (!seesPrices(actor) || !allows(orderAccess.list, actor)) return undefined
  const company = String(id)
  const nameOf = new Intl.DateTimeFormat(language, { month: 'long', year: 'numeric' })
  const shortNameOf = new Intl.DateTimeFormat(language, { month: 'short' })
  const values = lastMonths(12).map(({ start, from, until }) => {
    const { count, kopecks, address } = totalsOf(context, { company, created_from: from, created_until: until })
    return {
      name: nameOf.format(start),
      short: shortNameOf.format(start).replace('.', ''),
      value: kopecks,
      text: t.money(kopecks, 0),
      count,
      address,
    }
  })
  return {
    ...makeChart(t('Amounts by month'), [t('Month'), t('Amount')], values, (kopecks) => t.money(kopecks, 0)),
    total: values.reduce((sum, { value }) => sum + value, 0),
  }
}
