import { and, eq, isNull, or, sql } from 'drizzle-orm'
import { allows } from '../../../core/access.ts'
import { allocations, payments, prepareOnce, whereIn } from '../../../database/index.ts'
import type { Context } from '../../../http/request/context.ts'
import { paymentAccess } from '../../ledger/access.ts'
import { type Payment, selectPayments } from '../../ledger/payment.ts'
import type { Order } from '../../orders/order.ts'
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
  return found.find((payment) => allows(paymentAccess.decide, actor, payment))
}

const byHand = prepareOnce((db, params) => {
  const { amount, date, state, direction, statement_line, company_id, order_id, id } = payments
  const paysOrder = sql`(${order_id} = ${params.order} or ${id} in (select ${allocations.payment_id} from ${allocations} where ${allocations.order_id} = ${params.order}))`
  return selectPayments(db)
    .where(
      and(
        eq(amount, sql.placeholder('amount')),
        sql`${date} between date(${params.day}, '-${sql.raw(String(days))} days') and date(${params.day}, '+${sql.raw(String(days))} days')`,
        sql`${state} = 'confirmed'`,
        eq(direction, 'incoming'),
        isNull(statement_line),
        or(paysOrder, whereIn(company_id, params.ids)),
      ),
    )
    .orderBy(sql`${paysOrder} desc`, sql`abs(julianday(${date}) - julianday(${params.day}))`, id)
    .limit(5)
    .prepare()
})
