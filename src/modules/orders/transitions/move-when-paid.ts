import { type PaidOutcome, planWhenPaid } from '../../../core/when-paid.ts'
import type { Database } from '../../../database/index.ts'
import type { Context } from '../../../http/request/context.ts'
import { allocationsTo } from '../../ledger/allocations.ts'
import { findPayment } from '../../ledger/payment.ts'
import { loadWorkflow } from '../../workflow/load.ts'
import { findOrder, type Order } from '../order.ts'
import { applyPlan } from './apply-plan.ts'
import { factsOfOrder } from './step-facts.ts'
import { tellWhenPaid } from './tell-when-paid.ts'

type Booking = Pick<Context, 'server' | 'author'>

/**
 * Makes the step that an order takes once it is paid, in the name of whoever booked the money, who may take it back as any step of theirs;
 * where that leads to another such status, the next one, too. What hinders it, or that no step follows, is told to the manager. Call it inside the `write` that books money for the order, after it.
 */
export function moveWhenPaid(context: Booking, orderId: number): void {
  follow(context, findOrder(context.server.db, orderId), [])
}

/** @param passed the statuses from which it has moved already, so that a circle ends */
function follow(context: Booking, order: Order | undefined, passed: readonly (number | null)[]): void {
  if (!order || passed.includes(order.status_id)) return
  const { db } = context.server
  const outcome = outcomeOf(db, order)
  if (outcome?.kind === 'waits' || (outcome?.kind === 'stays' && passed.length === 0)) tellWhenPaid(context, order, outcome)
  if (outcome?.kind !== 'moves') return
  applyPlan(context, order, outcome.plan, { undoable: true, whenPaid: true })
  follow(context, findOrder(db, order.id), [...passed, order.status_id])
}

/** What an order does by itself with what is paid of it now. */
export function outcomeOf(db: Database, order: Order): PaidOutcome | undefined {
  const [newest] = allocationsTo(db, order.id)
  const paidBy = newest && findPayment(db, newest.payment_id)?.kind
  return planWhenPaid(order, { ...factsOfOrder(db, order, loadWorkflow(db)), paidBy })
}
