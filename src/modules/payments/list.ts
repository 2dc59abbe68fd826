import { and, eq, or, sql } from 'drizzle-orm'
import { type Actor, allows, isDealer } from '../../core/access.ts'
import { recordLabelFor } from '../../core/default-workflow.ts'
import { paymentDirectionLabels, paymentKindLabels, paymentStateLabels } from '../../core/labels.ts'
import { companies, contains, type Database, orders, payments, prepareOnce, whereIn } from '../../database/index.ts'
import { url } from '../../http/request/addresses.ts'
import type { Context } from '../../http/request/context.ts'
import { template } from '../../http/request/template.ts'
import { formatCalendarDate } from '../../i18n/format.ts'
import { columnsOf } from '../../records/list/columns.ts'
import { betweenDays, rangeFilters, wordFilter } from '../../records/list/common-filters.ts'
import { countOf, countUpToLimit } from '../../records/list/count.ts'
import type { EmptyList } from '../../records/list/empty-list.ts'
import { type Column, type Filter, type List, type RowNotes, valuesOf } from '../../records/list/list.ts'
import { companyFilter } from '../../records/list/record-filters.ts'
import { readRows } from '../../records/list/rows.ts'
import type { ListView } from '../../records/list/view.ts'
import { lackOfCompanies } from '../companies/assigned.ts'
import { addCompany, anyCompany } from '../companies/first-company.ts'
import { paymentAccess } from '../ledger/access.ts'
import { ownBalanceHeading } from '../ledger/own-balance.ts'
import { paymentForm } from '../ledger/payment-form.ts'
import { orderAccess } from '../orders/access.ts'
import { seesOrders } from '../orders/sees-orders.ts'

export type PaymentRow = ReturnType<ReturnType<typeof rowsByIds>['load']>[number]

const tools = template<{ list: ListView }>('payments/tools.njk')

const column = columnsOf(paymentForm, payments)

/** In rows of one line. */
const shortKinds = { ...paymentKindLabels, transfer: 'Transfer' }

const columns = [
  { key: 'order', label: 'Order', kind: 'identifier', cell: 'order', told: true, value: payments.order_id },
  { key: 'company', label: 'Company', kind: 'name', value: companies.org, hidden: isDealer },
  { key: 'reporter', label: 'Reported by', kind: 'person', cell: 'text', value: payments.reporter_name },
  { key: 'decider', label: 'Decided by', kind: 'person', cell: 'text', value: payments.decider_name, hidden: true },
  column('note', { hidden: true }),
  { key: 'direction', label: 'Direction', kind: 'choice', value: payments.direction, words: paymentDirectionLabels, hidden: true },
  column('kind', { words: shortKinds, spare: true, exported: { words: paymentKindLabels } }),
  column('date', { sort: payments.date, told: true }),
  {
    key: 'state',
    label: 'State',
    kind: 'status',
    value: payments.state,
    sort: payments.state,
    words: paymentStateLabels,
  },
  column('amount', { sort: payments.amount, opens: true }),
] as const satisfies readonly Column[]

/** Who pays, who confirms and who looks on read of their own part; before there is a company nobody pays. */
function emptyPayments(context: Context): EmptyList {
  const { server, actor } = context
  const title = 'No payments yet'
  if (isDealer(actor)) return { title, ...(seesOrders(context) ? whatIsPaid : nothingToPay) }
  const lacking = lackOfCompanies(context)
  if (lacking) return lacking
  if (!anyCompany(server.db).get() && allows(addCompany.rule, actor)) {
    return { title, text: 'A payment is of a company. Add one first.', add: addCompany }
  }
  if (allows(paymentAccess.decide, actor)) return { title, text: 'Payments that dealers report wait here for your confirmation.' }
  return { title, text: 'Payments that dealers report for their orders appear here and count once they are confirmed.' }
}

const whatIsPaid = { text: 'Payments for your orders appear here: those that you report, and those that arrive.' }

const nothingToPay = {
  text: 'There is nothing to pay before your first order.',
  add: { path: '/orders/add', label: 'New order', rule: orderAccess.add },
}

/** Payments of all orders, those that wait for a confirmation first. */
export const paymentList = prepareOnce(
  (db): List<PaymentRow> => ({
    name: 'payments',
    title: 'Payments',
    empty: emptyPayments,
    add: { path: '/payments/add', label: 'Add payment', rule: paymentAccess.report },
    columns,
    around: { heading: ownBalanceHeading, tools },
    sizes: [25, 50, 100],
    sort: { key: 'state', dir: 'desc' },
    table: payments,
    may: paymentAccess,
    filters: [
      byState,
      companyFilter(payments.company_id),
      wordFilter('kind', 'Payment type', paymentKindLabels, payments.kind),
      { ...wordFilter('direction', 'Direction', paymentDirectionLabels, payments.direction), further: true },
      ...rangeFilters('date', ['Date of payment', 'Paid from', 'Paid to'], 'date', betweenDays(payments.date)),
    ],
    searchHint: 'order, company, person, note',
    searchHintForDealers: 'order, person, note',
    find: (word) =>
      or(
        sql`${payments.order_id} = ${word.replace(/^[#№]/, '')}`,
        contains(sql`concat_ws(char(10), ${payments.reporter_name}, ${payments.note})`, word),
        sql`${payments.company_id} in (select ${companies.id} from ${companies} where ${contains(sql`${companies.org}`, word)})`,
      ),
    rows: { ...rowsByIds(db), template: 'payments/rows.njk' },
  }),
)

/** What somebody may confirm and nobody has decided about: exactly what the tab shows. */
export const reportedAddress = '?state=reported'

export function countReported(db: Database, actor: Actor): number {
  if (!allows(paymentAccess.decide, actor)) return 0
  return countOf(db, paymentList(db), actor, reportedAddress)
}

const byState: Filter = {
  ...wordFilter('state', 'State', paymentStateLabels, payments.state),
  nothingFound: { reported: 'All payments are checked' },
  counts: (db, where) =>
    new Map(
      Object.keys(paymentStateLabels).map((state) => [state, countUpToLimit(db, payments, and(where, sql`${payments.state} = ${state}`))]),
    ),
}

function rowsByIds(db: Database) {
  const { id, company_id } = payments
  const fields = {
    ...valuesOf(columns),
    ...{ id, company_id },
    manager_id: sql<number | null>`coalesce(${companies.manager_id}, ${orders.owner_manager_id})`,
    company_manufacture_id: companies.manufacture_id,
    company_stock_id: companies.stock_id,
  }
  const query = db
    .select(fields)
    .from(payments)
    .leftJoin(orders, eq(orders.id, payments.order_id))
    .leftJoin(companies, eq(companies.id, payments.company_id))
    .where(whereIn(payments.id, sql.placeholder('ids')))
  return readRows(fields, query, (rows, context) => rows.map((row) => ({ ...row, ...notesOf(row, context) })))
}

type Shown = Pick<typeof payments.$inferSelect, 'direction' | 'amount' | 'date'> & {
  order: number | null
  company: string | null
}

function notesOf({ direction, amount, date, order, company }: Shown, { server, t, language }: Context): RowNotes {
  const place = order ? `${t('Order')} ${recordLabelFor(language, 'orders', `#${order}`)}` : (company ?? '')
  return {
    label: [t.money(amount), formatCalendarDate(date), place].join(', '),
    notes: { kind: direction === 'refund' ? [{ text: t(paymentDirectionLabels.refund) }] : [] },
    hrefs: { order: order ? url(server, `/orders/${order}#payments`) : undefined },
  }
}
