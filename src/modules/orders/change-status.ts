import { asc, inArray, sql } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import { dueSinceEntering } from '../../core/payments.ts'
import {
  type ForcedValues,
  forcedValues,
  recipients,
  type Status,
  statusById,
  type Transition,
  type Workflow,
} from '../../core/transition-rules.ts'
import { type Author, type Database, orderHistory, orders, prepareOnce, updateRecord } from '../../database/index.ts'
import type { Acting } from '../../web/acting.ts'
import { HttpError, realAuthorOf } from '../../web/http.ts'
import { today } from '../../web/view/format.ts'
import { settleOrder } from '../ledger/book.ts'
import type { Payment } from '../ledger/payment.ts'
import { queueNotifications } from '../notifications/queue.ts'
import { loadWorkflow } from '../workflow/load.ts'
import { findOrder, type Order, type OrderChanges, orderLabel } from './order.ts'
import { tellOfReport } from './payments/tell-of-payment.ts'
import { findPartyMembers } from './recipients.ts'

export interface StatusChange {
  workflow: Workflow
  to: Status
  transition?: Transition
  filled?: OrderChanges
  /** A payment that is reported with it. */
  payment?: Payment
  comment?: string | null
  /** Why it is made although the company exceeds its credit limit. */
  exceed_reason?: string | null
  /** Whether the order has just been placed. */
  isInitial?: boolean
  /** Whether whoever makes this step may take it back for a while. */
  undoable?: boolean
}

/** How long a step can be undone: email and Telegram wait for as long. */
export const undoTime = 10_000

/**
 * The only function that changes the status of an order: saves the submitted fields, sets the forced ones, books what becomes due, writes
 * the history and queues the notifications (specification, transition rules 7 and 8, events 1 and 2).
 */
export function changeStatus(app: FastifyInstance, order: Order, change: StatusChange, author: Author) {
  const { db } = app
  const { to, transition, filled = {} } = change
  const forced = transition ? forcedValues(transition, { ...order, ...filled }, today(), () => nextSerial(db)) : {}
  const due_since = dueSinceEntering(to.due, order.due_since, today())
  updateRecord(db, orders, order, { ...filled, ...forced, status_id: to.id, due_since }, orderLabel(order), author)
  settleOrder(db, order.id, author)
  const { id, undo_until } = writeHistory(db, order, { ...change, filled }, forced, author)
  const notified = recipients(to, findPartyMembers(db, order))
  queueNotifications(app, {
    // Whoever was impersonated learns what was done in their name.
    recipients: author.impersonator && author.id !== null ? [...notified, author.id] : notified,
    acted: realAuthorOf(author).id,
    order_id: order.id,
    history_id: id,
    status_name: to.name,
    ...(undo_until !== null && { send_at: undo_until }),
  })
  tellOthers(app, order.id, change, { subject: stepSubject(id), send_at: undo_until }, author)
  return { forced, notified }
}

/** A step, and the payment that is reported with it, are told of when they can no longer be taken back. */
function tellOthers(
  app: FastifyInstance,
  order: number,
  { isInitial, payment }: StatusChange,
  held: { subject: string; send_at: number | null },
  author: Author,
) {
  if (!isInitial) app.queueEvent({ type: 'order.status_changed', record: order, ...held })
  if (payment) tellOfReport(app, payment, author, held)
}

/** By what a step can be taken back from other programs. */
export const stepSubject = (historyId: number) => `step ${historyId}`

/** A new order starts in the first status, if there is any. */
export function applyInitialStatus(app: FastifyInstance, id: number, workflow: Workflow, author: Author): void {
  const [to] = workflow.statuses
  if (to) changeStatus(app, findOrder(app.db, id) as Order, { workflow, to, isInitial: true }, author)
}

function nextSerial(db: Database): string {
  return String((highestSerial(db).get()?.highest ?? 0) + 1)
}

// Must repeat the condition of the index `orders_serial` word for word.
const highestSerial = prepareOnce((db) => {
  const rows = db.select({ highest: sql<number | null>`max(cast(sn as integer))` }).from(orders)
  return rows.where(sql`sn not glob '*[^0-9]*' and length(sn) between 1 and 12`).prepare()
})

function writeHistory(db: Database, order: Order, change: StatusChange, forced: ForcedValues, author: Author) {
  const from = statusById(change.workflow, order.status_id)
  const at = Date.now()
  const undo_until = change.undoable ? at + undoTime : null
  const entry = {
    order_id: order.id,
    at,
    transition_id: change.transition?.id ?? null,
    from_status_id: from?.id ?? null,
    from_name: from?.name ?? null,
    to_status_id: change.to.id,
    to_name: change.to.name,
    actor_id: author.id,
    actor_name: author.name,
    impersonator_id: author.impersonator?.id ?? null,
    impersonator_name: author.impersonator?.name ?? null,
    filled: { ...change.filled, ...(change.payment && { reported_payment: change.payment.id }) },
    forced,
    comment: change.comment ?? null,
    exceed_reason: change.exceed_reason ?? null,
    record_version: order.version + 1,
    undo_until,
  }
  return { id: Number(db.insert(orderHistory).values(entry).run().lastInsertRowid), undo_until }
}

export function reassignOrders(acting: Acting, from: number[], target: number): number {
  const { server } = acting
  const workflow = loadWorkflow(server.db)
  const to = statusById(workflow, target)
  if (!to || from.includes(target)) throw new HttpError(422, 'Choose a different status for these orders.')
  const rows = server.db.select({ id: orders.id }).from(orders).where(inArray(orders.status_id, from)).orderBy(asc(orders.id)).all()
  for (const { id } of rows) changeStatus(server, findOrder(server.db, id) as Order, { workflow, to }, acting.author)
  return rows.length
}
