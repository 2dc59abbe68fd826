import { and, eq, isNotNull, ne, type SQL, sql } from 'drizzle-orm'
import { group } from '../../../core/access.ts'
import { orderFiles } from '../../../core/order-editable-fields.ts'
import {
  type ChangedFields,
  type Database,
  orderMessageFiles,
  orderMessages,
  orders,
  payments,
  users,
  whereIn,
} from '../../../database/index.ts'
import type { Context } from '../../../http/request/context.ts'
import { type Problem, ValidationFailed } from '../../../http/request/errors.ts'
import { option } from '../../../records/fields/index.ts'
import { withdrawFrom } from '../../notifications/queue.ts'
import type { Dealer } from './access.ts'

/** What becomes of the orders of a dealer who gets another company. */
export const ordersField = option(
  'Orders on a change of company',
  { move: 'Move to the new company', stay: 'Stay with the old company for good' },
  { only: 'edit' },
)

export interface CompanyChange {
  company_id?: number | null
  orders?: 'move' | 'stay' | null
}

/** The orders that go where their dealer goes. */
const followingOrders = (dealerIds: number[]): SQL =>
  and(whereIn(orders.dealer_id, dealerIds), eq(orders.company_stays, false), isNotNull(orders.owner_company_id)) as SQL

/** What goes along with these dealers, in words; nothing where they have no orders. */
export function describeFollowing({ server: { db }, t, language }: Context, dealerIds: number[]): string | undefined {
  const found = countFollowing(db, dealerIds)
  if (found.orders === 0) return undefined
  const parts = [
    t('{count} orders', { count: found.orders }),
    ...(found.customers > 0 ? [t('{count} customers', { count: found.customers })] : []),
    ...(found.messages > 0 ? [t('{count} messages', { count: found.messages })] : []),
    ...(found.files > 0 ? [t('{count} files', { count: found.files })] : []),
  ]
  return new Intl.ListFormat(language).format(parts)
}

function countFollowing(db: Database, dealerIds: number[]) {
  const following = followingOrders(dealerIds)
  const ids = sql`(select ${orders.id} from ${orders} where ${following})`
  const sent = sql`${orderMessages} where ${orderMessages.order_id} in ${ids} and ${orderMessages.withdrawn_at} is null`
  const documents = orderFiles.map((name) => sql`count(${sql.identifier(name)})`)
  const counts = {
    orders: sql<number>`count(*)`,
    customers: sql<number>`count(distinct nullif(trim(${orders.receiver}), ''))`,
    messages: sql<number>`(select count(*) from ${sent})`,
    files: sql<number>`${sql.join(documents, sql` + `)}
      + (select count(*) from ${orderMessageFiles} where ${orderMessageFiles.message_id} in (select ${orderMessages.id} from ${sent}))
      + (select count(${payments.file}) from ${payments} where ${payments.order_id} in ${ids})`,
  }
  return db.select(counts).from(orders).where(following).get() as Record<keyof typeof counts, number>
}

/** Asks what becomes of orders, where a change gives dealers another company and does not say it. */
export function missingChoice(context: Context, dealers: Dealer[], { company_id, orders }: CompanyChange): Record<string, Problem> {
  const leaving = typeof company_id === 'number' && !orders ? dealers.filter((dealer) => leaves(dealer, company_id)) : []
  const what = leaving.length > 0 && describeFollowing(context, idsOf(leaving))
  return what ? { orders: { message: 'This affects {what}. Choose whether they move or stay.', params: { what } } } : {}
}

const leaves = (dealer: Dealer, company_id: number) => dealer.company_id !== null && dealer.company_id !== company_id

const idsOf = (dealers: Dealer[]) => dealers.map(({ id }) => id)

/**
 * Leaves the orders of a dealer with the company, if that is chosen, and takes them from the inboxes of those dealers who will no longer
 * see them. Call it inside `write`, before the company of the dealer is changed.
 * @returns what the history says of it
 */
export function settleOrders(context: Context, dealer: Dealer, change: CompanyChange): ChangedFields {
  const { db } = context.server
  const errors = missingChoice(context, [dealer], change)
  if (errors.orders) throw new ValidationFailed(errors)
  const { company_id, orders: choice } = change
  if (typeof company_id !== 'number' || !choice || !leaves(dealer, company_id)) return {}
  const following = followingOrders([dealer.id])
  const affected = db.select({ id: orders.id }).from(orders).where(following)
  const colleagues = and(eq(users.group_id, group.dealer), eq(users.company_id, dealer.company_id as number), ne(users.id, dealer.id))
  const losing = choice === 'stay' ? eq(users.id, dealer.id) : colleagues
  withdrawFrom(context.server, affected, db.select({ id: users.id }).from(users).where(losing))
  if (choice === 'move') return { orders: [null, choice] }
  db.update(orders)
    .set({ company_stays: true, company_id: sql`${orders.owner_company_id}` })
    .where(following)
    .run()
  return { orders: [null, choice] }
}
