import { and, eq, isNull, or, sql } from 'drizzle-orm'
import { allows } from '../../../core/access.ts'
import { allocations, payments, prepareOnce, whereIn } from '../../../database/index.ts'
import type { Context } from '../../../http/request/context.ts'
import { paymentAccess } from '../../ledger/access.ts'
import { type Payment, selectPayments } from '../../ledger/payment.ts'
import type { Order } from '../../orders/order.ts'
import type { LinedRow } from './columns.ts'
import { payersOf } from './payers.ts'

/** So many days a bank and a person may differ about when something was paid. */
const days = 5

/**
 * The payment or refund, confirmed by hand, that a row may be: of its amount and about its day, of one of these orders or companies, the
 * likeliest of those that somebody may decide about.
 */
export function findByHand(context: Context, row: LinedRow, orders: readonly Order[], company: number | null): Payment | undefined {
  const { db } = context.server
  const { byInn, before } = payersOf(db, row)
  const companies = [...byInn, ...before, ...orders.flatMap(({ owner_company_id }) => owner_company_id ?? []), company ?? 0]
  const direction = row.outgoing ? 'refund' : 'incoming'
  const wanted = { amount: row.kopecks, day: row.date, direction, orders: JSON.stringify(orders.map(({ id }) => id)) }
  const found = byHand(db).all({ ...wanted, ids: JSON.stringify(companies) })
  return found.find((payment) => allows(paymentAccess.decide, context.actor, payment))
}

const byHand = prepareOnce((db, params) => {
  const { amount, date, state, direction, statement_line, company_id, order_id, id } = payments
  const named = sql`(select value from json_each(${sql.placeholder('orders')}))`
  const paysOrder = sql`(${order_id} in ${named} or ${id} in (select ${allocations.payment_id} from ${allocations} where ${allocations.order_id} in ${named}))`
  return selectPayments(db)
    .where(
      and(
        eq(amount, sql.placeholder('amount')),
        sql`${date} between date(${params.day}, '-${sql.raw(String(days))} days') and date(${params.day}, '+${sql.raw(String(days))} days')`,
        sql`${state} = 'confirmed'`,
        eq(direction, sql.placeholder('direction')),
        isNull(statement_line),
        or(paysOrder, whereIn(company_id, params.ids)),
      ),
    )
    .orderBy(sql`${paysOrder} desc`, sql`abs(julianday(${date}) - julianday(${params.day}))`, id)
    .limit(5)
    .prepare()
})
