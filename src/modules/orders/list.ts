import { eq, sql } from 'drizzle-orm'
import { type Actor, group, isDealer, isStaff } from '../../core/access.ts'
import { unsentStatus } from '../../core/expected-actor.ts'
import { nextSteps } from '../../core/likely-step.ts'
import { ofPrices, seesPrices } from '../../core/prices.ts'
import { requirableFields, type Workflow } from '../../core/transition-rules.ts'
import {
  companies,
  type Database,
  orderHistory,
  orderItems,
  orderMessages,
  orders,
  prepareOnce,
  statuses,
  users,
  whereIn,
} from '../../database/index.ts'
import { deputizedNames } from '../../http/access/deputies.ts'
import type { Context } from '../../http/request/context.ts'
import { fragment, template } from '../../http/request/template.ts'
import { daysSince } from '../../i18n/format.ts'
import { columnsOf } from '../../records/list/columns.ts'
import type { DeletionPart } from '../../records/list/deletion.ts'
import { type Column, type List, type ListState, valuesOf } from '../../records/list/list.ts'
import { readRows } from '../../records/list/rows.ts'
import type { ListView } from '../../records/list/view.ts'
import { findCompany } from '../companies/company.ts'
import { settleOrder } from '../ledger/book.ts'
import { refuseOrdersWithPayments } from '../ledger/refuse-deletion.ts'
import { findDealer } from '../users/dealers/access.ts'
import { loadWorkflow } from '../workflow/load.ts'
import { orderAccess } from './access.ts'
import { countOwnDrafts } from './drafts/draft.ts'
import { emptyOrders } from './empty.ts'
import { orderFilters } from './filters.ts'
import { firstLines } from './first-lines.ts'
import { orderForm } from './form.ts'
import { lackedDetailsIn } from './lacked-details.ts'
import { unreadOrders } from './messages/visits.ts'
import type { Order } from './order.ts'
import { orderLines, vatOfLine } from './pricing/lines-sheet.ts'
import { productionDays } from './production-days.ts'
import { firstEditPath } from './sections.ts'
import { openStatuses, overdueOf, stuckDays } from './waiting.ts'

export type SeenOrder = Omit<OrderRow, 'cost'> & { cost: number | null }

type OrderRow = ReturnType<ReturnType<typeof rowsByIds>['load']>[number]

const heading = template<{ drafts: number; list?: ListView }>('orders/heading.njk')
const ordersHeading = fragment(heading, (context: Context) => ({ drafts: countOwnDrafts(context) }))

/** Internal messages do not count: the rows are those of dealers too. */
const lastMessage = sql<number | null>`(select max(${orderMessages.at}) from ${orderMessages}
  where ${orderMessages.order_id} = ${orders.id} and not ${orderMessages.internal} and ${orderMessages.withdrawn_at} is null)`

const vatOfLines = sql<number | null>`(select sum(${vatOfLine}) from ${orderItems} where ${orderItems.order_id} = ${orders.id})`

const personName = { lastname: users.lastname, name: users.name, middlename: users.middlename }
const statusName = sql`(select ${statuses.name} from ${statuses} where ${statuses.id} = ${orders.status_id})`

const column = columnsOf(orderForm, orders)

const isProduction = ({ group_id }: Actor) => group_id === group.production

const columns = [
  { key: 'id', label: 'Number', kind: 'identifier', value: orders.id, sort: orders.id },
  {
    key: 'specification_number',
    label: 'Spec. No.',
    kind: 'identifier',
    value: orders.specification_number,
    sort: orders.specification_number,
    spare: true,
  },
  { key: 'company', label: 'Company', kind: 'name', value: companies.org, hidden: isDealer },
  { key: 'dealer', label: 'Dealer', kind: 'person', value: personName, hidden: (actor) => isDealer(actor) || isProduction(actor) },
  column('receiver', { kind: 'name', hidden: isStaff }),
  { key: 'products', label: 'Products', kind: 'text', hidden: (actor) => !isProduction(actor), load: firstLines },
  { key: 'status', label: 'Status', kind: 'status', value: statusName },
  { key: 'cost', label: 'Cost', kind: 'money', value: orders.cost, sort: orders.cost, ...ofPrices },
  { key: 'created_at', label: 'Order created', kind: 'moment', value: orders.created_at, sort: orders.created_at, hidden: isProduction },
  column('date_make', {
    sort: orders.date_make,
    told: 'Ready',
    hidden: (actor: Actor) => !isDealer(actor) && !isProduction(actor),
  }),
  { key: 'lacks', label: 'Lacks', kind: 'text', told: true, sparse: true, hidden: isStaff },
  column('date_delivery', { sort: orders.date_delivery, told: 'Delivery', hidden: true }),
  column('date_payment', { sort: orders.date_payment, told: 'Payment', hidden: true }),
  column('phone', { hidden: true }),
  {
    key: 'since',
    label: 'Time in status',
    kind: 'duration',
    value: orders.status_since,
    sort: orders.status_since,
    told: 'In status',
    hidden: true,
    exported: { label: 'In status since', kind: 'moment' },
  },
  { key: 'vat', label: 'VAT included', kind: 'money', value: vatOfLines, hidden: true, ...ofPrices },
  { key: 'last_message', label: 'Last message', kind: 'moment', value: lastMessage, hidden: true },
  { key: 'external_id', label: 'External ID', kind: 'identifier', value: orders.external_id, hidden: true },
] as const satisfies readonly Column[]

/** What is due first where all is still to be done, else what came last. */
function byProductionDate(db: Database, { status, ...filters }: ListState['filters']) {
  const workflow = loadWorkflow(db)
  const isToDo = filters.released === 'open' || filters.waiting || filters.overdue || openStatuses(workflow).includes(Number(status))
  return { key: 'date_make', dir: isToDo ? 'asc' : 'desc' } as const
}

export const orderList = prepareOnce(
  (db): List<OrderRow> => ({
    name: 'orders',
    title: 'Orders',
    empty: emptyOrders,
    page: '/orders/',
    around: { heading: ordersHeading },
    add: { path: '/orders/add', label: 'New order' },
    columns,
    sizes: [25, 50, 'all'],
    sort: { key: 'created_at', dir: 'desc', for: (actor, filters) => (isProduction(actor) ? byProductionDate(db, filters) : undefined) },
    table: orders,
    may: orderAccess,
    filters: orderFilters(db),
    searchHint: 'number, company, customer, product',
    searchHintForDealers: 'number, customer, product',
    find: 'orders',
    rows: { ...rowsByIds(db), template: 'orders/rows.njk' },
    sheet: { lines: orderLines(db) },
  }),
)

/** Rows for lists of their own, as somebody sees them. */
export function withoutUnseen({ actor }: Context, rows: OrderRow[]): SeenOrder[] {
  return seesPrices(actor) ? rows : rows.map((row) => ({ ...row, cost: null }))
}

/** Whether its dealer has still to send an order. */
function isToSend({ actor }: Context, workflow: Workflow, order: Parameters<typeof nextSteps>[1]): boolean {
  const unsent = isDealer(actor) && order.status_id === unsentStatus(workflow)
  return unsent && nextSteps(workflow, order, actor).length > 0
}

const noPermissions: Order['statusPermissions'] = new Set()

function rowsByIds(db: Database) {
  const { status_id, dealer_id, owner_company_id, owner_manager_id, delivery, address } = orders
  const fields = {
    ...valuesOf(columns),
    ...{ status_id, dealer_id, owner_company_id, owner_manager_id, delivery, address },
    company_manufacture_id: companies.manufacture_id,
    company_stock_id: companies.stock_id,
  }
  const query = db
    .select(fields)
    .from(orders)
    .leftJoin(companies, eq(companies.id, orders.owner_company_id))
    .leftJoin(users, eq(users.id, orders.dealer_id))
    .where(whereIn(orders.id, sql.placeholder('ids')))
  return readRows(fields, query, (rows, context) => {
    const { actor, t } = context
    const unread = unreadOrders(db, actor.id)
    const workflow = loadWorkflow(db)
    const lackedDetails = lackedDetailsIn(workflow)
    const overdue = overdueOf(workflow)
    const dayOf = productionDays(context)
    const deputized = deputizedNames(db, actor)
    const statusById = new Map(workflow.statuses.map((status) => [status.id, status]))
    return rows.map((row) => {
      const status = statusById.get(row.status_id ?? 0)
      const statusPermissions = status?.policies ?? noPermissions
      const forName = deputized.get(row.owner_manager_id)
      return {
        ...row,
        label: `#${row.id}`,
        status,
        statusPermissions,
        editPath: firstEditPath(context, { ...row, statusPermissions }),
        overdue: overdue(row),
        days: daysSince(row.since),
        stuck: daysSince(row.since) >= stuckDays,
        ...dayOf(row.date_make),
        unread: unread.has(row.id),
        forName,
        notes: { company: forName ? [{ text: t('for {name}', { name: forName }) }] : [] },
        lacks: lackedDetails(row).map((name) => t(requirableFields[name])),
        toSend: isToSend(context, workflow, row),
      }
    })
  })
}

export const orderDeletion: DeletionPart<Order> = {
  factsOf: (db, row) => withCurrentFacts(db, row as Order),
  refusal: refuseOrdersWithPayments,
  changed: (db, ids, author) => {
    for (const id of ids) settleOrder(db, id, author)
  },
  question: 'Delete {count} orders?',
  done: '{count} orders deleted',
  consequences: [
    ['{count} order lines will also be deleted.', orderItems.order_id],
    ['{count} status history entries will also be deleted.', orderHistory.order_id],
  ],
}

function withCurrentFacts(db: Database, order: Order): Order {
  const dealer = order.dealer_id && !order.company_stays ? findDealer(db, order.dealer_id) : undefined
  const company = findCompany(db, (dealer ? dealer.company_id : order.company_id) ?? 0)
  const status = loadWorkflow(db).statuses.find(({ id }) => id === order.status_id)
  return {
    ...order,
    owner_company_id: company?.id ?? null,
    owner_manager_id: company?.manager_id ?? dealer?.manager_id ?? null,
    company_manufacture_id: company?.manufacture_id ?? null,
    company_stock_id: company?.stock_id ?? null,
    statusPermissions: status?.policies ?? noPermissions,
  }
}
