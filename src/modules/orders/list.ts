import { and, count, eq, getTableColumns, isNull, type SQL, sql } from 'drizzle-orm'
import { type Actor, group } from '../../core/access.ts'
import { fullName } from '../../core/text.ts'
import type { Database } from '../../database/open.ts'
import { prepareOnce } from '../../database/prepare-once.ts'
import { companies, orders, orderTallies, statuses, users } from '../../database/schema/index.ts'
import { whereIn } from '../../database/where-in.ts'
import { countUpToLimit, unlimited } from '../../web/list/rows.ts'
import type { Filter, List } from '../../web/list/state.ts'
import type { CellData } from '../../web/list/view.ts'
import { countLimit } from '../../web/view/format.ts'
import { page } from '../../web/view/page.ts'
import { ordersByStatus, statusNames } from '../workflow/load.ts'
import { may } from './access.ts'
import { statusPermissionsJson } from './order.ts'

export type OrderRow = ReturnType<ReturnType<typeof rowsByIds>>[number]

const numberCell = page<CellData<OrderRow>>('orders/number-cell.njk')

export function orderList(db: Database): List<OrderRow> {
  return {
    name: 'orders',
    title: 'Orders',
    labelOf: ({ id }) => `#${id}`,
    add: { path: '/orders/add', label: 'Add order' },
    columns: [
      { key: 'id', label: 'Number', cell: numberCell, sort: sql`${orders.id}` },
      { key: 'specification_number', label: 'Specification No.', sort: sql`${orders.specification_number}` },
      { key: 'company', label: 'Company' },
      { key: 'dealer', label: 'Dealer', show: 'person' },
      { key: 'status', label: 'Status', show: 'status' },
      { key: 'cost', label: 'Cost', show: 'money', sort: sql`${orders.cost}` },
      { key: 'created_at', label: 'Order created', show: 'date', sort: sql`${orders.created_at}` },
    ],
    sizes: [25, 50, 'all'],
    sort: { key: 'created_at', dir: 'desc' },
    table: orders,
    may,
    bulk: true,
    filters: [byStatus, byCompany, byManager],
    find: 'orders',
    countQuery: sql`select sum(${orderTallies.count}) from ${orderTallies}`,
    rows: rowsByIds(db),
  }
}

const idPattern = /^\d{1,15}$/

const noStatus = 'none'

const byStatus: Filter = {
  name: 'status',
  label: 'Status',
  options: ({ server, t }) => [
    ...statusNames(server.db).map(({ id, name }) => ({ value: String(id), label: name })),
    ...(findOrderWithoutStatus(server.db).get() ? [{ value: noStatus, label: t('No status') }] : []),
  ],
  where: (value) => {
    if (value === noStatus) return sql`${orders.status_id} is null`
    return idPattern.test(value) ? eq(orders.status_id, Number(value)) : undefined
  },
  counts: countByStatus,
}

const findOrderWithoutStatus = prepareOnce((db) =>
  db.select({ id: orders.id }).from(orders).where(isNull(orders.status_id)).limit(1).prepare(),
)

function countByStatus(db: Database, where: SQL | undefined): Map<string, number> {
  if (!where) return new Map([...ordersByStatus(db)].map(([id, count]) => [String(id || noStatus), count]))
  return countUpToLimit(db, orders, where) > countLimit ? countPerStatus(db, where) : countGrouped(db, where)
}

function countPerStatus(db: Database, where: SQL): Map<string, number> {
  const ids = [...statusNames(db).map(({ id }) => id), null]
  const inStatus = (id: number | null) => countUpToLimit(db, orders, and(where, sql`${orders.status_id} is ${id}`))
  return new Map(ids.map((id) => [String(id ?? noStatus), inStatus(id)]))
}

/** The unary plus keeps SQLite from scanning the status index instead of applying the filter. */
function countGrouped(db: Database, where: SQL): Map<string, number> {
  const rows = db.select({ id: orders.status_id, count: count() }).from(orders).where(where).groupBy(sql`+${orders.status_id}`).all()
  return new Map(rows.map(({ id, count }) => [String(id ?? noStatus), count]))
}

const byCompany: Filter = {
  name: 'company',
  label: 'Company',
  options: ({ server, actor }, limit) => companiesOf(server.db, actor, limit),
  where: (value) => (idPattern.test(value) ? eq(orders.owner_company_id, Number(value)) : undefined),
}

const byManager: Filter = {
  name: 'manager',
  label: 'Manager',
  options: ({ server, actor }, limit) => (actor.group_id === group.administrator ? managers(server.db, limit) : []),
  where: (value) => (idPattern.test(value) ? eq(orders.owner_manager_id, Number(value)) : undefined),
}

function companiesOf(db: Database, actor: Actor, limit = unlimited) {
  if (actor.group_id === group.administrator) return companyNames(db).all({ most: limit })
  return actor.group_id === group.manager ? companyNamesOf(db).all({ most: limit, manager: actor.id }) : []
}

const companyNames = prepareOnce((db) => namedCompanies(db).prepare())

const companyNamesOf = prepareOnce((db) =>
  namedCompanies(db)
    .where(eq(companies.manager_id, sql.placeholder('manager')))
    .prepare(),
)

function namedCompanies(db: Database) {
  const rows = { value: sql<string>`cast(${companies.id} as text)`, label: companies.org }
  return db.select(rows).from(companies).orderBy(companies.search, companies.id).limit(sql.placeholder('most'))
}

function managers(db: Database, limit = unlimited) {
  return managerNames(db)
    .all({ most: limit })
    .map((manager) => ({ value: String(manager.id), label: fullName(manager) }))
}

const managerNames = prepareOnce((db) =>
  db
    .select({ id: users.id, lastname: users.lastname, name: users.name, middlename: users.middlename })
    .from(users)
    .where(eq(users.group_id, group.manager))
    .orderBy(users.search, users.id)
    .limit(sql.placeholder('most'))
    .prepare(),
)

function rowsByIds(db: Database) {
  const { id, specification_number, cost, created_at, status_id, dealer_id, owner_company_id, owner_manager_id } = getTableColumns(orders)
  const query = db
    .select({
      id,
      specification_number,
      cost,
      created_at,
      status_id,
      dealer_id,
      owner_company_id,
      owner_manager_id,
      company: companies.org,
      company_manufacture_id: companies.manufacture_id,
      company_stock_id: companies.stock_id,
      dealer: { lastname: users.lastname, name: users.name, middlename: users.middlename },
      status: { name: statuses.name, color: statuses.color },
      statusPermissions: statusPermissionsJson,
    })
    .from(orders)
    .leftJoin(companies, eq(companies.id, orders.owner_company_id))
    .leftJoin(users, eq(users.id, orders.dealer_id))
    .leftJoin(statuses, eq(statuses.id, orders.status_id))
    .where(whereIn(orders.id, sql.placeholder('ids')))
    .prepare()
  return (ids: number[]) =>
    query.all({ ids: JSON.stringify(ids) }).map((row) => ({ ...row, statusPermissions: new Set(JSON.parse(row.statusPermissions)) }))
}
