import { allows } from '../../core/access.ts'
import { url } from '../../http/request/addresses.ts'
import type { Context } from '../../http/request/context.ts'
import type { Payment } from '../ledger/payment.ts'
import { orderAccess } from '../orders/access.ts'
import { findOrder, type Order } from '../orders/order.ts'
import { pageAddress } from '../orders/page/neighbors.ts'
import { describeSubject } from '../orders/transitions/describe-step.ts'

/** The order on whose page somebody acts on a payment; undefined on the page of the payment itself. */
export function orderBeside({ server, actor }: Context, { order_id }: Payment, sent: URLSearchParams): Order | undefined {
  const order = order_id === null || sent.has('payment') ? undefined : findOrder(server.db, order_id)
  return order && allows(orderAccess.view, actor, order) ? order : undefined
}

/** Where somebody sees what became of a payment: on the dashboard or the page of its order, where they came from there, else on its own. */
export function paymentPlace(context: Context, payment: Payment, sent: URLSearchParams): string {
  if (sent.has('home')) return url(context.server, '/')
  const order = orderBeside(context, payment, sent)
  return order ? `${pageAddress(context.server, order, sent)}#payments` : url(context.server, `/payments/${payment.id}`)
}

/** What a payment is about, in words: its order, else its company. */
export function describePlace(context: Context, payment: Payment): string {
  const order = orderBeside(context, payment, new URLSearchParams())
  return order ? describeSubject(context, order) : (payment.org ?? '')
}
