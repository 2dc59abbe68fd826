import type { Database } from '../../database/index.ts'
import type { Context } from '../../http/request/context.ts'
import { HttpError, type Problem, ValidationFailed } from '../../http/request/errors.ts'
import { type Allocation, allocate, allocationsOf } from '../ledger/allocations.ts'
import { companyOfEntries, lackOf } from '../ledger/balance.ts'
import { type Payment, updatePayment } from '../ledger/payment.ts'
import { moveWhenPaid } from '../orders/transitions/move-when-paid.ts'

type BookedPayment = Payment & { company_id: number }

/**
 * Makes a payment pay these orders from a day on, and no others: each as far as it lacks money, the rest is credit of the company. Orders that
 * are paid by it move on. One that it named and does not pay any more is not named. Call it inside `write`.
 * @throws ValidationFailed at the rows where an order is not the company's, is named twice, or all of them are more than the payment;
 * HttpError (409) where the payment pays nothing any more
 */
export function splitPayment(context: Context, payment: BookedPayment, split: readonly Allocation[], date: string): void {
  const { server, author } = context
  const { id: payment_id, company_id, order_id } = payment
  const present = new Map(allocationsOf(server.db, payment_id).map(({ order_id, amount }) => [order_id, amount]))
  refuseWrongSplit(server.db, payment, split, present)
  const wanted = new Map(split.map(({ order_id, amount }) => [order_id, amount]))
  if (order_id !== null && present.has(order_id) && !wanted.get(order_id)) updatePayment(server.db, payment, { order_id: null }, author)
  const change = (order_id: number, amount: number) => allocate(server.db, { payment_id, company_id, order_id, amount, date }, author)
  for (const [order_id, amount] of present) change(order_id, Math.min(0, (wanted.get(order_id) ?? 0) - amount))
  for (const [order_id, amount] of wanted) {
    const more = Math.min(amount - Math.min(amount, present.get(order_id) ?? 0), Math.max(0, lackOf(server.db, order_id)))
    change(order_id, more)
    if (amount > 0) moveWhenPaid(context, order_id)
  }
}

function refuseWrongSplit(db: Database, payment: BookedPayment, split: readonly Allocation[], present: Map<number, number>): void {
  if (payment.state !== 'confirmed' || payment.direction !== 'incoming')
    throw new HttpError(409, 'Only a confirmed payment can be allocated to orders.')
  const errors = rowErrors(db, payment, split)
  if (Object.keys(errors).length > 0) throw new ValidationFailed(errors)
  const paidBack = payment.allocated - [...present.values()].reduce((sum, amount) => sum + amount, 0)
  if (split.reduce((sum, { amount }) => sum + amount, 0) > payment.amount - paidBack)
    throw new ValidationFailed({ allocations: 'This is more than the payment.' })
}

/** Errors at the rows of a form that splits a payment of a company over orders. */
function rowErrors(db: Database, { company_id }: BookedPayment, split: readonly Allocation[]): Record<string, Problem> {
  const errors = split.map(({ order_id }, at): [string, Problem][] => {
    const place = `allocations.${at}.order_id`
    if (order_id === 0) return [[place, { message: 'Choose an order.' }]]
    if (companyOfEntries(db, order_id) !== company_id) return [[place, { message: 'This company has no such order.' }]]
    const isTwice = split.slice(0, at).some((earlier) => earlier.order_id === order_id)
    return isTwice ? [[place, { message: 'This order is named twice.' }]] : []
  })
  return Object.fromEntries(errors.flat())
}
