import { sql } from 'drizzle-orm'
import { type Actor, type Grant, ignoringScope, type Rule } from '../../core/access.ts'
import { orders, payments } from '../../database/index.ts'
import { orderAccess as mayOrder } from '../orders/access.ts'
import type { OrderFacts } from '../orders/order.ts'

/** Payments are seen and decided about as their orders are: a list of them narrows by the conditions for orders. */
export const paymentAccess = {
  list: ofPayments(mayOrder.viewPayments),
  view: ofPayments(mayOrder.viewPayments),
  decide: ofPayments(mayOrder.decidePayment),
  /** With a bank statement. */
  add: ignoringScope(mayOrder.decidePayment),
} satisfies Record<string, Rule<OrderFacts>>

function ofPayments(rule: Rule<OrderFacts>): Rule<OrderFacts> {
  return rule.map((grants) => grants.map(ofTheirOrders))
}

function ofTheirOrders({ permission, scope }: Grant<OrderFacts>): Grant<OrderFacts> {
  if (!scope) return { permission }
  const where = (actor: Actor) =>
    sql`${payments.order_id} in (select ${orders.id} from ${orders} where ${scope.where?.(actor) ?? sql`false`})`
  return { permission, scope: { ...scope, where } }
}
