import { asc, inArray } from 'drizzle-orm'
import { isCanceled } from '../../../core/payments.ts'
import { type Plan, planStatus } from '../../../core/plan-transition.ts'
import { recipients, type Status, statusById } from '../../../core/transition-rules.ts'
import { type Author, authorColumns, type Database, orderHistory, orders, updateRecord } from '../../../database/index.ts'
import { actsFor } from '../../../http/access/deputies.ts'
import type { WriteContext } from '../../../http/request/context.ts'
import { HttpError } from '../../../http/request/errors.ts'
import { realAuthorOf } from '../../../http/request/person.ts'
import { today } from '../../../i18n/format.ts'
import { settleOrder } from '../../ledger/book.ts'
import type { Payment } from '../../ledger/payment.ts'
import { tellOfReport } from '../../ledger/tell-of-payment.ts'
import { queueNotifications } from '../../notifications/queue.ts'
import { loadWorkflow } from '../../workflow/load.ts'
import { filesOf, type Paper } from '../documents/issue.ts'
import { assignToStep, cancelDocuments, issueDocumentsOfStep } from '../documents/step.ts'
import { queueOrderEvent } from '../events.ts'
import { findOrder, type Order, orderLabel } from '../order.ts'
import { renewPrices } from '../pricing/outdated-prices.ts'
import { findPartyMembers } from '../recipients.ts'

interface Circumstances {
  /** The payment that the plan reports. */
  payment?: Payment
  /** Whether the order has just been placed. */
  isInitial?: boolean
  /** Whether whoever makes this step may take it back for a while. */
  undoable?: boolean
  /** Whether it is made because the order was paid. */
  whenPaid?: boolean
  /** Files that were made of what it issues. */
  papers?: readonly Paper[]
}

/** How long a step can be undone: email and Telegram wait for as long. */
const undoTime = 10_000

/**
 * Does what a plan says, the only way for an order to get its next status: saves the submitted fields, sets the forced ones, issues
 * documents, books what becomes due, writes the history and queues the notifications (specification, transition rules 7 and 8, events 1 and 2). Call it
 * inside `write`, with a plan that was made there.
 * @returns who is notified
 */
export function applyPlan({ server, author }: WriteContext, order: Order, plan: Plan, circumstances: Circumstances = {}): number[] {
  const { db } = server
  const { to, filled, forced, due_since } = plan
  const priced = plan.renewsPrices ? renewPrices(db, order, author) : order
  const issue = issueDocumentsOfStep({ server, author }, priced, plan, circumstances.papers ?? [])
  const files = filesOf(issue.documents)
  updateRecord(db, orders, priced, { ...filled, ...files, ...forced, status_id: to.id, due_since }, orderLabel(order), author)
  settleOrder(db, order.id, author)
  const { id, undo_until } = writeHistory(db, priced, { ...plan, filled: { ...filled, ...files } }, circumstances, author)
  const held = { subject: stepSubject(id), send_at: undo_until }
  assignToStep({ server, author }, issue, id, held)
  if (isCanceled(to)) cancelDocuments({ server, author }, order.id, id)
  const notified = recipients(plan.told, findPartyMembers(db, order))
  queueNotifications(server, {
    // Whoever was impersonated learns what was done in their name.
    recipients: author.impersonator && author.id !== null ? [...notified, author.id] : notified,
    acted: realAuthorOf(author).id,
    order_id: order.id,
    history_id: id,
    status_name: to.name,
    ...(undo_until !== null && { send_at: undo_until }),
  })
  // A step, and the payment that is reported with it, are told of when they can no longer be taken back.
  if (!circumstances.isInitial) queueOrderEvent(server, 'order.status_changed', order.id, held)
  if (circumstances.payment) tellOfReport(server, circumstances.payment, author, held)
  return notified
}

/** By what a step can be taken back from other programs. */
export const stepSubject = (historyId: number) => `step ${historyId}`

function writeHistory(
  db: Database,
  order: Order,
  { from, to, transition, filled, forced, comment, exceed_reason }: Plan,
  { payment, undoable, whenPaid = false }: Circumstances,
  author: Author,
) {
  const at = Date.now()
  const undo_until = undoable ? at + undoTime : null
  const entry = {
    order_id: order.id,
    at,
    transition_id: transition?.id ?? null,
    from_status_id: from?.id ?? null,
    from_name: from?.name ?? null,
    to_status_id: to.id,
    to_name: to.name,
    ...authorColumns(author),
    for_name: actsFor(db, order.owner_manager_id, author),
    filled: { ...filled, ...(payment && { reported_payment: payment.id }) },
    forced,
    comment: comment ?? null,
    exceed_reason: exceed_reason ?? null,
    when_paid: whenPaid,
    record_version: order.version + 1,
    undo_until,
  }
  return { id: Number(db.insert(orderHistory).values(entry).run().lastInsertRowid), undo_until }
}

/**
 * Gives an order a status without any transition. Call it inside `write`.
 * @returns who is notified
 */
export function enterStatus(context: WriteContext, id: number, to: Status, circumstances?: Circumstances): number[] {
  const { db } = context.server
  const order = findOrder(db, id) as Order
  return applyPlan(context, order, planStatus(loadWorkflow(db), order, to, today()), circumstances)
}

export function reassignOrders(context: WriteContext, from: number[], target: number): number {
  const { db } = context.server
  const to = statusById(loadWorkflow(db), target)
  if (!to || from.includes(target)) throw new HttpError(422, 'Choose a different status for these orders.')
  const rows = db.select({ id: orders.id }).from(orders).where(inArray(orders.status_id, from)).orderBy(asc(orders.id)).all()
  for (const { id } of rows) enterStatus(context, id, to)
  return rows.length
}
