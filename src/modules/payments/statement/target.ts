import { allows } from '../../../core/access.ts'
import type { Context } from '../../../http/request/context.ts'
import type { Allocation } from '../../ledger/allocations.ts'
import { companyOfEntries, lackOf } from '../../ledger/balance.ts'
import { orderAccess } from '../../orders/access.ts'
import { findOrder, type Order } from '../../orders/order.ts'
import { proposeSplit } from '../orders-to-pay.ts'
import type { StatementRow } from './columns.ts'
import { payableCompany, payersOf } from './payers.ts'

/** What a row is booked to: orders, paid in this order, or without one the company. A refund names at most one. */
export interface Target {
  orders: number[]
  company?: number
}

export interface Reason {
  message: string
  params?: Record<string, string>
}

/** What somebody may book: `company_id` is empty for an order without company. */
export interface Found {
  company_id: number | null
  orders: Order[]
}

/** `12`, `12,13,14`, or `c5` for a company. */
export const writeTarget = ({ orders, company }: Target) => (orders.length > 0 ? orders.join() : `c${company}`)

/** What a row would be booked to, if somebody may; otherwise why not. */
export function findTarget(context: Context, row: StatementRow, { orders: ids, company }: Target): Found | Reason {
  if (ids.length === 0) {
    const found = payableCompany(context, company ?? 0)
    return found ? refused(context, row, { company_id: found.id, orders: [] }) : { message: unknownCompany }
  }
  const orders = ids.flatMap((id) => payableOrder(context, id) ?? [])
  if (orders.length < ids.length) return { message: 'There is no order with this number whose payments you may confirm.' }
  const found = foundOf(context, orders)
  if (orders.some((order) => foundOf(context, [order]).company_id !== found.company_id))
    return { message: 'These orders are of different companies.' }
  return refused(context, row, found)
}

/** Orders with the company that their money is booked to: that of the first. */
export function foundOf({ server: { db } }: Context, orders: Order[]): Found {
  return { company_id: orders[0] ? companyOfEntries(db, orders[0].id) : null, orders }
}

export const unknownCompany = 'There is no company with this name or INN whose payments you may confirm.'

/** Money goes back to the company whose INN the recipient has. */
function refused({ server: { db } }: Context, row: StatementRow, found: Found): Found | Reason {
  if (!row.outgoing || (found.orders.length < 2 && payersOf(db, row).byInn.includes(found.company_id ?? 0))) return found
  return { message: 'A refund is booked to the company with the INN of the recipient, for one of its orders at most.' }
}

/** The order that somebody may book payments of, if there is one with this id. */
export function payableOrder({ server, actor }: Context, id: number): Order | undefined {
  const order = findOrder(server.db, id)
  return order && allows(orderAccess.decidePayment, actor, order) ? order : undefined
}

/** How an amount is split: over the orders in this order, as far as each lacks money. */
export function splitOver({ server: { db } }: Context, amount: number, orders: readonly Order[]): Allocation[] {
  return proposeSplit(
    amount,
    orders.map(({ id }) => ({ id, lacks: lackOf(db, id) })),
  )
}
