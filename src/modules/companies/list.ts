import { eq, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { group, managesAlone } from '../../core/access.ts'
import { ofPrices, seesPrices } from '../../core/prices.ts'
import {
  companies,
  companyBalances,
  type Database,
  dueDay,
  isLacking,
  manufactures,
  orderBalances,
  orders,
  prepaidBy,
  searchedCompanies,
  statusTransitions,
  stocks,
  users,
  whereIn,
} from '../../database/index.ts'
import { startOfDay, today } from '../../i18n/format.ts'
import { columnsOf, timeColumns } from '../../records/list/columns.ts'
import type { DeletionPart } from '../../records/list/deletion.ts'
import { type Column, type Filter, type List, valuesOf } from '../../records/list/list.ts'
import { columnFilter } from '../../records/list/record-filters.ts'
import { readRows } from '../../records/list/rows.ts'
import { ownLabels, ownTexts } from '../../records/list/search-source.ts'
import { refuseCompaniesWithEntries } from '../ledger/refuse-deletion.ts'
import { companyAccess } from './access.ts'
import { lackOfCompanies } from './assigned.ts'
import { managerFilter } from './choices.ts'
import type { Company } from './company.ts'
import { companyForm } from './form.ts'

/** Money that pays no order leaves the limit as it is, and so does what is paid of an order before it is charged. */
const credit = sql<number>`ifnull((select ${companyBalances.credit} from ${companyBalances} where ${companyBalances.company_id} = ${companies.id}), 0)`

/** The orders of a company that lack money after their last day to pay in time, before a day. */
const overdueOrders = (day: SQL) => sql`${orderBalances} join ${orders} on ${orders.id} = ${orderBalances.order_id}
  where ${orderBalances.company_id} = ${companies.id} and ${isLacking}
  and ${dueDay} < ${day}`

const overdue = sql<number>`(select ifnull(sum(${orderBalances.charged} - ${orderBalances.paid}), 0) from ${overdueOrders(sql`date('now', 'localtime')`)})`

const lastOrder = sql<number | null>`(select max(${orders.created_at}) from ${orders} where ${orders.owner_company_id} = ${companies.id})`

/** How companies stand, for those who see prices. */
const accountColumns = [
  {
    key: 'balance',
    label: 'Balance',
    kind: 'money',
    cell: 'account',
    told: true,
    value: companies.balance,
    sort: companies.balance,
    newestFirst: true,
    ...ofPrices,
  },
  { key: 'overdue', label: 'Overdue debt', kind: 'money', told: true, cell: 'debt', value: overdue, ...ofPrices },
  {
    key: 'limit_left',
    label: 'Left of the credit limit',
    kind: 'money',
    cell: 'account',
    told: true,
    value: sql<number | null>`${companies.credit_limit} + ${companies.balance} - ${credit} - ${prepaidBy(companies.id)}`,
    hidden: true,
    ...ofPrices,
  },
  { key: 'last_order', label: 'Last order', kind: 'moment', value: lastOrder, ...ofPrices },
] as const satisfies readonly Column[]

const flag = (name: string, label: string, listTitle: string, condition: () => SQL): Filter => ({
  ...{ name, label, listTitle, input: 'flag', ...ofPrices },
  where: (value) => (value === '1' ? condition() : undefined),
})

const accountFilters: Filter[] = [
  { ...flag('debt', 'In debt', 'Companies in debt', () => sql`${companies.balance} < 0`), says: ['debtors'] },
  {
    ...flag('overdue', 'Overdue debt', 'Companies with overdue debt', () => sql`exists (select 1 from ${overdueOrders(sql`${today()}`)})`),
    says: ['late payers'],
  },
  { ...flag('credit', 'In credit', 'Companies in credit', () => sql`${companies.balance} > 0`), further: true },
  {
    name: 'idle',
    label: 'Days without orders, at least',
    input: 'number',
    ...{ further: true, ...ofPrices },
    // Those that have never ordered anything are idle since they were added.
    where: (days) =>
      /^\d{1,4}$/.test(days) ? sql`coalesce(${lastOrder}, ${companies.created_at}) < ${startOfDay(Number(days) - 1)}` : undefined,
  },
]

const manager = alias(users, 'manager')
const joinManager = sql`left join ${users} ${sql.identifier('manager')} on ${manager.id} = ${companies.manager_id}`
const managerName = { lastname: manager.lastname, name: manager.name, middlename: manager.middlename }

const countDealers = sql<number>`(select count(*) from ${users} dealer where dealer.company_id = ${companies.id} and dealer.group_id = ${group.dealer})`

const countOpenOrders = sql<number>`(select count(*) from ${orders} where ${orders.owner_company_id} = ${companies.id}
  and ${orders.status_id} in (select ${statusTransitions.parent_status_id} from ${statusTransitions}))`

const city = sql<string | null>`city(coalesce(nullif(${companies.address}, ''), ${companies.legal_address}))`

const column = columnsOf(companyForm, companies)

const columns = [
  column('org', { kind: 'name', sort: companies.search, opens: true }),
  {
    key: 'manager',
    label: 'Manager',
    kind: 'person',
    value: managerName,
    sort: manager.search,
    join: joinManager,
    hidden: (actor) => managesAlone(actor, 'company_can_view'),
  },
  { key: 'city', label: 'City', kind: 'short', value: city, hidden: true },
  { key: 'dealers', label: 'Dealers', kind: 'number', value: countDealers, hidden: true },
  { key: 'open_orders', label: 'Open orders', kind: 'number', value: countOpenOrders },
  column('discount', { label: 'Discount, %', sort: companies.discount, hidden: true }),
  ...accountColumns,
  ...timeColumns(companies),
  column('external_id', { hidden: true }),
] as const satisfies readonly Column[]

export type CompanyRow = ReturnType<ReturnType<typeof rowsByIds>['load']>[number]

export function companyList(db: Database): List<CompanyRow> {
  return {
    name: 'companies',
    title: 'Companies',
    empty: (context) =>
      lackOfCompanies(context) ?? {
        title: 'No companies yet',
        text: 'Companies are the organizations that dealers order for: with a contract, discounts, and a manager.',
      },
    add: { path: '/company/add', label: 'Add company' },
    columns,
    sizes: [25, 50, 'all'],
    sort: { key: 'created_at', dir: 'desc', for: (actor) => (seesPrices(actor) ? debtorsFirst : undefined) },
    table: companies,
    filters: [
      managerFilter(companies.manager_id),
      columnFilter('stock', 'Warehouse', stocks, companies.stock_id),
      columnFilter('manufacture', 'Production site', manufactures, companies.manufacture_id),
      ...accountFilters,
    ],
    may: companyAccess,
    searchHint: 'organization, manager',
    find: 'companies',
    rows: rowsByIds(db),
  }
}

const debtorsFirst = { key: 'balance', dir: 'asc' } as const

function rowsByIds(db: Database) {
  const fields = { ...valuesOf(columns), id: companies.id, manager_id: companies.manager_id }
  const query = db
    .select(fields)
    .from(companies)
    .leftJoin(manager, eq(manager.id, companies.manager_id))
    .where(whereIn(companies.id, sql.placeholder('ids')))
  return readRows(fields, query)
}

export const companyDeletion: DeletionPart<Company> = {
  refusal: refuseCompaniesWithEntries,
  question: 'Delete {count} companies?',
  done: '{count} companies deleted',
  consequences: [
    ['{count} dealers will have no company.', users.company_id],
    ['{count} orders will have no company.', orders.company_id],
  ],
}

export const textLabels = { ...ownLabels(searchedCompanies, companyForm), manager: 'Manager' }

export function searchTexts(ids: SQL): SQL {
  const name = sql`nullif(concat_ws(' ', ${manager.lastname}, ${manager.name}), '')`
  return sql`select ${companies.id}, ${ownTexts(searchedCompanies)}, ${name}
    from ${companies} ${joinManager} where ${companies.id} in ${ids}`
}
