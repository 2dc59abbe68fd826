import { eq, getTableColumns, sql } from 'drizzle-orm'
import { type Database, prepareOnce, whereIn } from '../../database/index.ts'
import { companies, orderMessages, orders, orderTallies, statuses, users } from '../../database/schema/index.ts'
import type { Translate } from '../../i18n/translate.ts'
import type { Column, List } from '../../web/list/state.ts'
import type { CellData, ListView } from '../../web/list/view.ts'
import { formatCalendarDate } from '../../web/view/format.ts'
import { page } from '../../web/view/page.ts'
import { loadWorkflow } from '../workflow/load.ts'
import { may } from './access.ts'
import { orderFilters } from './filters.ts'
import { unreadOrders } from './messages/visits.ts'
import { statusPermissionsJson } from './order.ts'
import { daysSince, overdueDate, today } from './waiting.ts'

export type OrderRow = ReturnType<ReturnType<typeof rowsByIds>>[number]

const numberCell = page<CellData<OrderRow>>('orders/number-cell.njk')

const boardLink = page<{ list: ListView }>('orders/board-link.njk')
const sinceCell = page<CellData<OrderRow>>('orders/since-cell.njk')

export const orderList = prepareOnce(
  (db): List<OrderRow> => ({
    name: 'orders',
    title: 'Orders',
    tools: boardLink,
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
      dateColumn('date_make', 'Production date'),
      dateColumn('date_delivery', 'Delivery date'),
      dateColumn('date_payment', 'Payment date'),
      { key: 'receiver', label: 'Customer full name', hidden: true },
      { key: 'phone', label: 'Phone', hidden: true },
      { key: 'since', label: 'Time in status', cell: sinceCell, sort: sql`${orders.status_since}`, hidden: true },
      { key: 'last_message', label: 'Last message', show: 'date', hidden: true },
    ],
    sizes: [25, 50, 'all'],
    sort: { key: 'created_at', dir: 'desc' },
    table: orders,
    may,
    bulk: true,
    bulkActions: [{ path: '/orders/transitions', label: 'Move to…', icon: 'arrow-right', rule: may.view }],
    filters: orderFilters(db),
    headings: { column: 'date_make', of: dayHeading },
    searched: 'number, company, dealer, product',
    find: 'orders',
    countQuery: sql`select sum(${orderTallies.count}) from ${orderTallies}`,
    rows: rowsByIds(db),
    marked: ({ actor }) => unreadOrders(db, actor.id),
  }),
)

function dateColumn(key: 'date_make' | 'date_delivery' | 'date_payment', label: string): Column {
  return { key, label, show: 'day', sort: sql`${orders[key]}`, nullsLast: true, hidden: true }
}

function dayHeading({ date_make }: OrderRow, t: Translate): string {
  if (date_make === null) return t('No production date')
  return date_make < today() ? t('Before today') : formatCalendarDate(date_make)
}

/** Internal messages do not count: the rows are those of dealers too. */
const lastMessage = sql<number | null>`(select max(${orderMessages.at}) from ${orderMessages}
  where ${orderMessages.order_id} = ${orders.id} and not ${orderMessages.internal} and ${orderMessages.withdrawn_at} is null)`

function rowsByIds(db: Database) {
  const { id, specification_number, cost, created_at, status_id, dealer_id, owner_company_id, owner_manager_id } = getTableColumns(orders)
  const { date_make, date_delivery, date_payment, receiver, phone, status_since } = getTableColumns(orders)
  const query = db
    .select({
      ...{ id, specification_number, cost, created_at, status_id, dealer_id, owner_company_id, owner_manager_id },
      ...{ date_make, date_delivery, date_payment, receiver, phone, since: status_since },
      company: companies.org,
      company_manufacture_id: companies.manufacture_id,
      company_stock_id: companies.stock_id,
      dealer: { lastname: users.lastname, name: users.name, middlename: users.middlename },
      status: { name: statuses.name, color: statuses.color },
      statusPermissions: statusPermissionsJson,
      last_message: lastMessage,
    })
    .from(orders)
    .leftJoin(companies, eq(companies.id, orders.owner_company_id))
    .leftJoin(users, eq(users.id, orders.dealer_id))
    .leftJoin(statuses, eq(statuses.id, orders.status_id))
    .where(whereIn(orders.id, sql.placeholder('ids')))
    .prepare()
  return (ids: number[]) => {
    const overdue = overdueDate(loadWorkflow(db))
    return query.all({ ids: JSON.stringify(ids) }).map((row) => ({
      ...row,
      statusPermissions: new Set(JSON.parse(row.statusPermissions)),
      overdue: overdue(row),
      days: daysSince(row.since),
    }))
  }
}
