import { and, eq, sql } from 'drizzle-orm'
import { allows } from '../../../core/access.ts'
import { orders, payments, prepareOnce } from '../../../database/index.ts'
import { countHit } from '../../../http/access/rate-limit.ts'
import type { Context } from '../../../http/request/context.ts'
import { ValidationFailed } from '../../../http/request/errors.ts'
import { realAuthorOf } from '../../../http/request/person.ts'
import { orderAccess } from '../access.ts'
import type { Order } from '../order.ts'

/** Payments that wait for a confirmation. */
const limits = { order: 5, company: 20 }

const hourlyLimit = { limit: 30, window: 3600_000 }

/**
 * Somebody is about to report a payment of an order; whoever may confirm it reports as many as they like. Call it inside `write`.
 * @throws ValidationFailed where too many wait for a confirmation already, LimitReached
 */
export function limitReports({ server: { db }, actor, author }: Context, order: Order): void {
  if (allows(orderAccess.decidePayment, actor, order)) return
  const { ofOrder = 0, ofCompany = 0 } = countUnconfirmed(db).get({ order: order.id, company: order.owner_company_id }) ?? {}
  if (ofOrder >= limits.order)
    refuse('Up to {max} payments of an order can wait for confirmation. Wait until some are confirmed.', limits.order)
  if (ofCompany >= limits.company)
    refuse('Up to {max} payments of a company can wait for confirmation. Wait until some are confirmed.', limits.company)
  const person = realAuthorOf(author).id
  countHit(db, `payment of ${person}`, hourlyLimit, 'You can report up to {max} payments an hour. Try again after {time}.')
}

function refuse(message: string, max: number): never {
  throw new ValidationFailed({ amount: { message, params: { max } } })
}

const countUnconfirmed = prepareOnce((db, params) =>
  db
    .select({
      ofOrder: sql<number>`count(*) filter (where ${orders.id} = ${params.order})`,
      ofCompany: sql<number>`count(*)`,
    })
    .from(payments)
    .innerJoin(orders, eq(orders.id, payments.order_id))
    .where(and(eq(payments.state, 'reported'), eq(orders.owner_company_id, params.company)))
    .prepare(),
)
