import { and, eq, sql } from 'drizzle-orm'
import { allows } from '../../core/access.ts'
import { payments, prepareOnce } from '../../database/index.ts'
import { countHit } from '../../http/access/rate-limit.ts'
import type { Context } from '../../http/request/context.ts'
import { ValidationFailed } from '../../http/request/errors.ts'
import { realAuthorOf } from '../../http/request/person.ts'
import { paymentAccess } from './access.ts'
import { companyOfEntries } from './balance.ts'
import type { NewPayment } from './payment.ts'

/** Payments that wait for a confirmation. */
const limits = { order: 5, company: 20 }

const hourlyLimit = { limit: 30, window: 3600_000 }

/**
 * Somebody is about to report a payment; whoever may confirm payments reports as many as they like. Call it inside `write`.
 * @throws ValidationFailed where too many wait for a confirmation already, LimitReached
 */
export function limitReports(context: Context, { order_id = null, company_id }: Pick<NewPayment, 'order_id' | 'company_id'>): void {
  const { server, actor, author } = context
  if (allows(paymentAccess.add, actor)) return
  const company = company_id ?? (order_id === null ? null : companyOfEntries(server.db, order_id))
  const { ofOrder = 0, ofCompany = 0 } = countUnconfirmed(server.db).get({ order: order_id, company }) ?? {}
  if (ofOrder >= limits.order)
    refuse('Up to {max} payments of an order can wait for confirmation. Wait until some are confirmed.', limits.order)
  if (ofCompany >= limits.company)
    refuse('Up to {max} payments of a company can wait for confirmation. Wait until some are confirmed.', limits.company)
  const person = realAuthorOf(author).id
  countHit(server.db, `payment of ${person}`, hourlyLimit, 'You can report up to {max} payments an hour. Try again after {time}.')
}

function refuse(message: string, max: number): never {
  throw new ValidationFailed({ amount: { message, params: { max } } })
}

const countUnconfirmed = prepareOnce((db, params) =>
  db
    .select({
      ofOrder: sql<number>`count(*) filter (where ${payments.order_id} = ${params.order})`,
      ofCompany: sql<number>`count(*)`,
    })
    .from(payments)
    .where(and(eq(payments.state, 'reported'), eq(payments.company_id, params.company)))
    .prepare(),
)
