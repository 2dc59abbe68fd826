import { hindrancesOf, type PaidOutcome, planWhenPaid } from '../../../core/when-paid.ts'
import { type Database, prepareOnce } from '../../../database/index.ts'
import { whomAllows } from '../../../http/access/permitted-people.ts'
import type { WriteContext } from '../../../http/request/context.ts'
import { realAuthorOf } from '../../../http/request/person.ts'
import { allocationsTo } from '../../ledger/allocations.ts'
import { findPayment, nameOf } from '../../ledger/payment.ts'
import type { PaidNotice } from '../../notifications/notices.ts'
import { queueNotifications } from '../../notifications/queue.ts'
import { orderAccess } from '../access.ts'
import { findOrder, type Order } from '../order.ts'
import { findPartyMembers } from '../recipients.ts'
import { applyPlan } from './apply-plan.ts'
import { factsOfOrder } from './step-facts.ts'

/**
 * Makes the step that an order takes once it is paid, in the name of whoever booked the money, who may take it back as any step of theirs;
 * where that leads to another such status, the next one, too. What hinders it, or that no step follows, is told to the manager. Call it inside the `write` that books money for the order, after it.
 */
export function moveWhenPaid(context: WriteContext, orderId: number): void {
  follow(context, findOrder(context.server.db, orderId), [])
}

/** @param passed the statuses from which it has moved already, so that a circle ends */
function follow(context: WriteContext, order: Order | undefined, passed: readonly (number | null)[]): void {
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
  return planWhenPaid(order, { ...factsOfOrder(db, order), paidBy })
}

/**
 * Tells the manager of an order, where its company has none the administrators, and of them whoever may see its payments, that it is paid,
 * and what it waits for. Of the same money they are told once. Call it inside `write`.
 */
function tellWhenPaid({ server, author }: WriteContext, order: Order, outcome: Exclude<PaidOutcome, { kind: 'moves' }>): void {
  const { db } = server
  const event: PaidNotice = outcome.kind === 'waits' ? 'paid-waiting' : 'paid-in-full'
  if (wasTold(db, order.id, event)) return
  const { manager, admin } = findPartyMembers(db, order)
  const recipients = whomAllows(db, orderAccess.viewPayments, order, manager.length > 0 ? manager : admin).map(({ id }) => id)
  queueNotifications(server, {
    ...{ recipients, acted: realAuthorOf(author).id, order_id: order.id, event, actor_name: nameOf(author) },
    ...(outcome.kind === 'waits' && { detail: JSON.stringify(hindrancesOf(outcome.problems)) }),
  })
}

const wasTold = (db: Database, order_id: number, event: PaidNotice) => noticeOfMoney(db).get({ order_id, event }) !== undefined

const noticeOfMoney = prepareOnce((db) =>
  db.$client.prepare<{ order_id: number; event: PaidNotice }>(
    `select 1 from notifications where order_id = @order_id and event = @event
      and created_at >= (select max(at) from (
        select at from allocations where order_id = @order_id and amount > 0
        union all select at from ledger_entries where order_id = @order_id and kind = 'correction' and amount > 0)) limit 1`,
  ),
)
