import { eq, getTableColumns, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import type { OrderAccount } from '../../core/credit.ts'
import type { StatusPolicyKey } from '../../core/default-workflow.ts'
import { recordLabelFor } from '../../core/default-workflow.ts'
import type { OrderOwners, Requirable } from '../../core/transition-rules.ts'
import {
  allocations,
  companies,
  companyBalances,
  type Database,
  orderBalances,
  orderItems,
  orders,
  payments,
  policyStatus,
  prepaidBy,
  prepareOnce,
  statusPolicies,
  whereIn,
} from '../../database/index.ts'
import { HttpError } from '../../http/request/errors.ts'
import type { FindRecord } from '../../http/request/route-policy.ts'
import type { Language, Translate } from '../../i18n/translate.ts'

export type OrderFacts = OrderOwners & {
  owner_company_id: number | null
  company_manufacture_id: number | null
  company_stock_id: number | null
  statusPermissions: ReadonlySet<StatusPolicyKey>
}

/** An order with what decides about access to it and about its steps. */
export type Order = typeof orders.$inferSelect &
  OrderFacts &
  Pick<Requirable, 'lacksPrices' | 'hasPayment'> & {
    /** What was booked of it, and how the company that pays it stands. */
    account: OrderAccount & { payer_id: number | null; credit: number }
  }
export type OrderChanges = Partial<typeof orders.$inferInsert>

const statusPermissionsJson = sql<string>`(select json_group_array(${statusPolicies.key}) from ${policyStatus}
  join ${statusPolicies} on ${statusPolicies.id} = ${policyStatus.status_policy_id}
  where ${policyStatus.status_id} = ${orders.status_id} and ${policyStatus.value})`

const unpricedLine =
  sql`exists (select 1 from ${orderItems} where ${orderItems.order_id} = ${orders.id} and ${orderItems.price} is null)`.mapWith(Boolean)

/** One that names the order and was neither rejected nor reversed, or that pays it. */
const heldPayment =
  sql`(exists (select 1 from ${payments} where ${payments.order_id} = ${orders.id} and ${payments.state} in ('reported', 'confirmed')
    and ${payments.direction} = 'incoming')
  or (select sum(${allocations.amount}) from ${allocations} where ${allocations.order_id} = ${orders.id}) > 0)`.mapWith(Boolean)

/** The company of an order's entries, and before there are any the one that it belongs to. */
const payingCompany = sql<number | null>`coalesce(${orderBalances.company_id}, ${orders.owner_company_id}, ${orders.company_id})`

const payer = alias(companies, 'payer')

/** What is prepaid of the order itself serves it. */
const ownPrepaid = sql<number>`max(ifnull(${orderBalances.paid} - ${orderBalances.charged}, 0), 0)`

const account = {
  charged: sql<number>`ifnull(${orderBalances.charged}, 0)`,
  paid: sql<number>`ifnull(${orderBalances.paid}, 0)`,
  balance: sql<number>`ifnull(${companyBalances.balance} - ${companyBalances.credit}, 0) - ${prepaidBy(companyBalances.company_id)} + ${ownPrepaid}`,
  credit_limit: sql<number | null>`${payer.credit_limit}`,
  payer_id: payingCompany,
  credit: sql<number>`ifnull(${companyBalances.credit}, 0)`,
}

const selectOrders = (db: Database) =>
  db
    .select({
      ...getTableColumns(orders),
      company_manufacture_id: companies.manufacture_id,
      company_stock_id: companies.stock_id,
      statusPermissions: statusPermissionsJson,
      lacksPrices: unpricedLine,
      hasPayment: heldPayment,
      account,
    })
    .from(orders)
    .leftJoin(companies, eq(companies.id, orders.owner_company_id))
    .leftJoin(orderBalances, eq(orderBalances.order_id, orders.id))
    .leftJoin(companyBalances, eq(companyBalances.company_id, payingCompany))
    .leftJoin(payer, eq(payer.id, payingCompany))

type StoredOrder = NonNullable<ReturnType<ReturnType<typeof byId>['get']>>

const byId = prepareOnce((db, params) => selectOrders(db).where(eq(orders.id, params.id)).prepare())

const byIds = prepareOnce((db, params) => selectOrders(db).where(whereIn(orders.id, params.ids)).prepare())

export const findOrder: FindRecord<Order> = (db, id) => {
  const row = byId(db).get({ id })
  return row && toOrder(row)
}

/** People type numbers of orders: what they read names the one that is not there. */
export const orderMissing = (id: number) =>
  new HttpError(404, 'There is no order {number}. It may have been deleted.', { number: String(id) })

/** Those that exist, by their ids. */
export function findOrders(db: Database, ids: readonly number[]): Map<number, Order> {
  const rows = byIds(db).all({ ids: JSON.stringify(ids) })
  return new Map(rows.map((row) => [row.id, toOrder(row)]))
}

const toOrder = (row: StoredOrder): Order => ({ ...row, statusPermissions: new Set(JSON.parse(row.statusPermissions)) })

export function orderTitle(order: Order, t: Translate, language: Language): string {
  return t('Order {name}', { name: recordLabelFor(language, 'orders', orderLabel(order)) })
}

/** How history, trash and lists name an order in English; `recordLabelFor` has it as a reader sees it. */
export const orderLabel = ({ id }: { id: number }): string => `#${id}`
