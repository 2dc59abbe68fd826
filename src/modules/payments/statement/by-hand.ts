import { and, eq, isNull, or, sql } from 'drizzle-orm'
import { allows } from '../../../core/access.ts'
import { orders, payments, prepareOnce, whereIn } from '../../../database/index.ts'
import type { Context } from '../../../http/request/context.ts'
import type { Payment } from '../../ledger/payment.ts'
import { orderAccess as mayOrder } from '../../orders/access.ts'
import { findOrder, type Order } from '../../orders/order.ts'
import type { LinedRow } from './columns.ts'

/** So many days a bank and a person may differ about when something was paid. */
const days = 5

/**
 * The payment, confirmed by hand, that a row may be: of its amount and about its day, of this order or one of the companies, the likeliest
 * of those that somebody may decide about.
 */
export function findByHand({ server: { db }, actor }: Context, row: LinedRow, payers: number[], order?: Order): Payment | undefined {
  const companies = [...payers, ...(order?.owner_company_id ? [order.owner_company_id] : [])]
  const wanted = { amount: row.kopecks, day: row.date, order: order?.id ?? 0, ids: JSON.stringify(companies) }
  const found = byHand(db).all(wanted)
  return found.find(({ payment }) => allows(mayOrder.decidePayment, actor, findOrder(db, payment.order_id)))?.payment
}

const byHand = prepareOnce((db, params) => {
  const { amount, date, state, statement_line, order_id, id } = payments
  return db
    .select({ payment: payments })
    .from(payments)
    .innerJoin(orders, eq(orders.id, order_id))
    .where(
      and(
        eq(amount, sql.placeholder('amount')),
        sql`${date} between date(${params.day}, '-${sql.raw(String(days))} days') and date(${params.day}, '+${sql.raw(String(days))} days')`,
        sql`${state} = 'confirmed'`,
        isNull(statement_line),
        or(eq(order_id, params.order), whereIn(orders.owner_company_id, params.ids)),
      ),
    )
    .orderBy(sql`${order_id} = ${params.order} desc`, sql`abs(julianday(${date}) - julianday(${params.day}))`, id)
    .limit(5)
    .prepare()
})
