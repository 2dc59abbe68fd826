import { allows } from '../../core/access.ts'
import type { Context } from '../../http/request/context.ts'
import type { Payment } from '../ledger/payment.ts'
import { orderAccess } from '../orders/access.ts'
import { findOrder, type Order } from '../orders/order.ts'
import { describeSubject } from '../orders/transitions/describe-step.ts'

/** The order on whose page somebody acts on a payment; undefined on the page of the payment itself. */
export function orderBeside({ server, actor }: Context, { order_id }: Payment, sent: URLSearchParams): Order | undefined {
  const order = order_id === null || sent.has('payment') ? undefined : findOrder(server.db, order_id)
  return order && allows(orderAccess.view, actor, order) ? order : undefined
}

/** What a payment is about, in words: its order, else its company. */
export function describePlace(context: Context, payment: Payment): string {
  const order = orderBeside(context, payment, new URLSearchParams())
  return order ? describeSubject(context, order) : (payment.org ?? '')
}
