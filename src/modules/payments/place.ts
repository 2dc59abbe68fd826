import type { FastifyInstance, FastifyRequest } from 'fastify'
import { allows } from '../../core/access.ts'
import { pageBehind, url } from '../../http/request/addresses.ts'
import type { Context } from '../../http/request/context.ts'
import { parseId } from '../../http/request/input.ts'
import { aroundIn, linkNeighbors, type Neighbors, originQuery } from '../../records/list/neighbors.ts'
import { paymentAccess } from '../ledger/access.ts'
import { findPayment, type Payment } from '../ledger/payment.ts'
import { orderAccess } from '../orders/access.ts'
import { findOrder, type Order } from '../orders/order.ts'
import { describeSubject } from '../orders/transitions/describe-step.ts'
import { paymentList } from './list.ts'

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

/** @param sent what says from which list somebody came, whose next payment may follow */
export function paymentAddress(app: FastifyInstance, { id }: Pick<Payment, 'id'>, sent: URLSearchParams, page = ''): string {
  return url(app, `/payments/${id}${page}`) + originQuery(sent)
}

/** The page that somebody has open, at the row of a payment or of its order; undefined where it is that of either. */
export function placeBehind(request: FastifyRequest, { id, order_id }: Payment): string | undefined {
  const { server } = request
  const address = pageBehind(request, `/payments/${id}`, `/orders/${order_id}`)
  const [path] = address?.split('?') ?? []
  if (path === url(server, '/payments')) return `${address}#payments-${id}`
  return path === url(server, '/orders') ? `${address}#orders-${order_id}` : address
}

/** The payments before and after this one in the list that somebody came from. */
export function viewOfNeighbors(context: Context, { id }: Payment, sent: URLSearchParams): Neighbors {
  const back = sent.get('back')
  if (!back) return {}
  return linkNeighbors(context, paymentList(context.server.db), id, { back, around: aroundIn(sent, (id) => visiblePaymentId(context, id)) })
}

function visiblePaymentId({ server, actor }: Context, text: string | null): number | undefined {
  const payment = findPayment(server.db, parseId(text) ?? -1)
  return payment && allows(paymentAccess.view, actor, payment) ? payment.id : undefined
}
