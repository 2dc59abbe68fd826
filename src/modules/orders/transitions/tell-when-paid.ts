import { hindrancesOf, type PaidOutcome } from '../../../core/when-paid.ts'
import { type Database, prepareOnce } from '../../../database/index.ts'
import { whomAllows } from '../../../http/access/permitted-people.ts'
import type { Context } from '../../../http/request/context.ts'
import { realAuthorOf } from '../../../http/request/person.ts'
import { nameOf } from '../../ledger/payment.ts'
import type { PaidNotice } from '../../notifications/notices.ts'
import { queueNotifications } from '../../notifications/queue.ts'
import { orderAccess } from '../access.ts'
import type { Order } from '../order.ts'
import { findPartyMembers } from '../recipients.ts'

/**
 * Tells the manager of an order, where its company has none the administrators, and of them whoever may see its payments, that it is paid,
 * and what it waits for. Of the same money they are told once. Call it inside `write`.
 */
export function tellWhenPaid(
  { server, author }: Pick<Context, 'server' | 'author'>,
  order: Order,
  outcome: Exclude<PaidOutcome, { kind: 'moves' }>,
): void {
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
