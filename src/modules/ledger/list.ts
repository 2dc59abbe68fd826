import { and, eq, sql } from 'drizzle-orm'
import { type Actor, anyOf, checkAccess, group, isDealer, isGroup, isStaff } from '../../core/access.ts'
import { entryLabels } from '../../core/labels.ts'
import { companies, ledgerEntries, orders, prepareOnce, whereIn } from '../../database/index.ts'
import { url } from '../../http/request/addresses.ts'
import type { Context } from '../../http/request/context.ts'
import { fragment, template } from '../../http/request/template.ts'
import { formatDateTime } from '../../i18n/format.ts'
import { betweenDays, periodFilters, wordFilter } from '../../records/list/common-filters.ts'
import { conditionOf } from '../../records/list/conditions.ts'
import { impersonatedBy } from '../../records/list/impersonated-by.ts'
import type { Column, ExportColumn, Filter, List, ListState } from '../../records/list/list.ts'
import { companyFilter, equalsId } from '../../records/list/record-filters.ts'
import type { ListView } from '../../records/list/view.ts'
import { mayReadLedger, paymentAccess } from './access.ts'
import { balancesAfter } from './balances-after.ts'
import { ownBalance } from './own-balance.ts'
import { ledgerSums } from './sums.ts'

const heading = template<{ balance: number | undefined; company: number | undefined; closes: boolean; list?: ListView }>(
  'ledger/heading.njk',
)
const signs = template<object>('ledger/signs.njk')

type LedgerRow = ReturnType<typeof loadEntries>[number]

const companyName = sql`(select ${companies.org} from ${companies} where ${companies.id} = ${ledgerEntries.company_id})`

/** What takes back a charge, a payment or a refund is a reversal. */
export const shownKind = sql<keyof typeof entryLabels>`iif(${ledgerEntries.kind} in ('charge', 'refund') and ${ledgerEntries.amount} > 0
  or ${ledgerEntries.kind} = 'payment' and ${ledgerEntries.amount} < 0, 'reversal', ${ledgerEntries.kind})`

const exportColumns: ExportColumn[] = [
  { label: 'Date', value: ledgerEntries.date, kind: 'date' },
  { label: 'Company', width: 40, value: companyName },
  { label: 'Entry', value: shownKind, words: entryLabels },
  { label: 'Order', value: ledgerEntries.order_id },
  { label: 'Amount', value: ledgerEntries.amount, kind: 'money' },
  { label: 'Note', width: 40, value: ledgerEntries.note },
  { label: 'Who', width: 36, value: ledgerEntries.actor_name },
  { label: 'Impersonation', width: 36, value: ledgerEntries.impersonator_name },
  { label: 'Entered', value: ledgerEntries.at, kind: 'moment' },
]

const company: Column = {
  key: 'company',
  label: 'Company',
  kind: 'name',
  narrows: { filter: 'company', by: 'company_id' },
  hidden: isDealer,
}

const whatIsOwed: Record<number, string> = {
  [group.dealer]: 'What your orders cost and what you have paid appear here, with what is left to pay.',
  [group.manager]: 'What your companies owe and have paid appears here.',
}

const newOrder = { path: '/orders/add', label: 'New order', rule: anyOf(isGroup(group.dealer)) }

const newPayment = { path: '/payments/add', label: 'Add payment', rule: paymentAccess.report }

/** Among those of several companies, what each had after an entry says little. */
const balance: Column = { key: 'balance', label: 'Balance', kind: 'money', told: true, load: balancesAfter }

/** Whether somebody reads the ledger of one company. */
const isOfOne = (actor: Actor, { filters }: ListState) => ownCompanyOf(actor) !== undefined || filters.company !== undefined

type Place = Pick<List<LedgerRow>, 'place' | 'baseCondition'>

/** The entries that somebody may read, of the latest day first; those of one company on its card. */
export function ledgerList(place: Place = {}): List<LedgerRow> {
  const ofCompany = place.baseCondition !== undefined
  return {
    ...place,
    name: 'ledger',
    title: 'Ledger',
    empty: ({ actor }) => ({
      title: 'No entries yet',
      text: whatIsOwed[actor.group_id] ?? 'What companies owe and have paid appears here.',
      add: isDealer(actor) ? newOrder : newPayment,
    }),
    columns: [
      { key: 'date', label: 'Date', kind: 'date', told: true, sort: ledgerEntries.date },
      ...(ofCompany ? [] : [company]),
      { key: 'kind', label: 'Entry', kind: 'word', words: entryLabels },
      { key: 'order', label: 'Order', kind: 'identifier', cell: 'order', told: true },
      { key: 'note', label: 'Note', kind: 'text', sparse: true },
      { key: 'actor', label: 'Who', kind: 'person', cell: 'text' },
      { key: 'amount', label: 'Amount', kind: 'money' },
      { ...balance, ...(!ofCompany && { hidden: isStaff, shownBy: 'company' }) },
    ],
    sheet: { columns: exportColumns },
    sizes: [25, 50, 100],
    sort: { key: 'date', dir: 'desc' },
    table: ledgerEntries,
    may: { list: mayReadLedger },
    filters: [
      byKind,
      byOrder,
      ...(ofCompany ? [] : [companyFilter(ledgerEntries.company_id)]),
      ...periodFilters(betweenDays(ledgerEntries.date)),
    ],
    searchHint: 'note, person',
    find: [ledgerEntries.note, ledgerEntries.actor_name],
    around: {
      heading: fragment(heading, (context: Context) => ({
        balance: ownBalance(context),
        company: ownCompanyOf(context.actor),
        closes: checkAccess(context.actor, 'period_can_close'),
      })),
      below: fragment(signs, () => ({})),
    },
    rows: { load: (ids, context) => loadEntries(context, ids), events: true },
    sums: (context, state, rows) => (ofCompany || isOfOne(context.actor, state) ? ledgerSums(context, state, rows) : undefined),
  }
}

const ownCompanyOf = ({ group_id, company_id }: Actor) => (group_id === group.dealer ? (company_id ?? 0) : undefined)

/** The columns of the balances: charges with their reversals, payments with what was paid back. */
const kindGroups = {
  charges: { label: 'Charges and reversals', where: sql`${ledgerEntries.kind} = 'charge'` },
  payments: { label: 'Payments and refunds', where: sql`${ledgerEntries.kind} in ('payment', 'refund')` },
} as const

const ofOneKind = wordFilter('kind', 'Entry', entryLabels, shownKind)

const byKind: Filter = {
  ...ofOneKind,
  options: (context) => [
    ...(ofOneKind.options?.(context) ?? []),
    ...Object.entries(kindGroups).map(([value, { label }]) => ({ value, label: context.t(label) })),
  ],
  where: (value) => (Object.hasOwn(kindGroups, value) ? kindGroups[value as keyof typeof kindGroups].where : ofOneKind.where(value)),
}

const byOrder: Filter = {
  name: 'order',
  label: 'Order number',
  input: 'number',
  further: true,
  where: (value) => equalsId(ledgerEntries.order_id, value),
}

function loadEntries(context: Context, ids: number[]) {
  const rows = entries(context.server.db).all({ ids: JSON.stringify(ids) })
  const visible = visibleOrders(
    context,
    rows.flatMap(({ order_id }) => order_id ?? []),
  )
  const { server, t } = context
  return rows.map((row) => ({
    ...row,
    order: row.order_id,
    actor: row.actor_name,
    titles: { date: `${t('Entered')}: ${formatDateTime(row.at)}` },
    hrefs: { order: visible.has(row.order_id ?? 0) ? url(server, `/orders/${row.order_id}`) : undefined },
    notes: { actor: impersonatedBy(row, t) },
    data: { entry: row.kind },
  }))
}

/** Entries outlive their orders, and whoever reads a ledger need not see all of them. */
function visibleOrders({ server: { db, records }, actor }: Context, ids: number[]): Set<number> {
  const list = records.get('orders')?.list
  if (!list) return new Set()
  const where = and(whereIn(orders.id, ids), conditionOf(list, actor))
  const found = db.select({ id: orders.id }).from(orders).where(where).all()
  return new Set(found.map(({ id }) => id))
}

const entries = prepareOnce((db, params) => {
  const { id, date, at, company_id, order_id, amount, note, actor_name, impersonator_name } = ledgerEntries
  const columns = { id, date, at, kind: shownKind, company_id, order_id, amount, note, actor_name, impersonator_name }
  const rows = db.select({ ...columns, company: companies.org, company_manager_id: companies.manager_id }).from(ledgerEntries)
  return rows.innerJoin(companies, eq(companies.id, company_id)).where(whereIn(id, params.ids)).prepare()
})
