import { and, eq, gt, sql } from 'drizzle-orm'
import { statusById } from '../../../core/transition-rules.ts'
import { type ChangedFields, changes, type Database, orderHistory, orders, updateRecord } from '../../../database/index.ts'
import type { Acting } from '../../../web/acting.ts'
import { HttpError, type UndoForm, url } from '../../../web/http.ts'
import { settleOrder } from '../../ledger/book.ts'
import { findPayment, withdrawPayment } from '../../ledger/payment.ts'
import { withdrawNotifications } from '../../notifications/queue.ts'
import { loadWorkflow } from '../../workflow/load.ts'
import { type Order, type OrderChanges, orderLabel } from '../order.ts'
import { stepSubject } from './apply-plan.ts'
import { historyOf } from './history.ts'

type Step = typeof orderHistory.$inferSelect

export class UndoRefused extends HttpError {}

/**
 * Takes back a step: status and fields become what they were, and what others were told of it is withdrawn. Nobody is notified, and the
 * history keeps both. Call it inside `write`.
 * @throws UndoRefused 409 once something else has happened to the order, 422 when the time is over; HttpError 403 for the step of somebody else
 */
export function undoStep(acting: Acting, order: Order, stepId: number): void {
  const { server, author } = acting
  const { db } = server
  const [latest] = historyOf(db).all({ order: order.id })
  const step = db
    .select()
    .from(orderHistory)
    .where(and(eq(orderHistory.id, stepId), eq(orderHistory.order_id, order.id)))
    .get()
  if (!step) throw new UndoRefused(422, 'This step cannot be undone.')
  if (!isOwn(acting, step)) throw new HttpError(403, 'Only whoever made a step can undo it.')
  refuseOvertaken(db, step, latest?.entry)
  if (step.undo_until === null) throw new UndoRefused(422, 'This step cannot be undone.')
  if (Date.now() >= step.undo_until) throw new UndoRefused(422, 'More than ten seconds have passed: this step can no longer be undone.')
  const from = statusById(loadWorkflow(db), step.from_status_id)
  if (!from) throw new UndoRefused(409, 'The previous status was deleted meanwhile. Nothing was undone.')
  takeBackPayment(acting, step)
  updateRecord(db, orders, order, valuesBefore(db, order, step), orderLabel(order), author)
  settleOrder(db, order.id, author)
  withdrawNotifications(server, { history_id: step.id })
  server.withdrawEvents(stepSubject(step.id))
  db.update(orderHistory).set({ undone_at: Date.now(), undo_until: null }).where(eq(orderHistory.id, step.id)).run()
  db.insert(orderHistory)
    .values({
      order_id: order.id,
      at: Date.now(),
      from_status_id: step.to_status_id,
      from_name: step.to_name,
      to_status_id: from.id,
      to_name: from.name,
      actor_id: author.id,
      actor_name: author.name,
      impersonator_id: author.impersonator?.id,
      impersonator_name: author.impersonator?.name,
      record_version: order.version + 1,
      undoes_id: step.id,
    })
    .run()
}

const isOwn = ({ author }: Acting, step: Pick<Step, 'actor_id' | 'impersonator_id'>) =>
  step.actor_id === author.id && step.impersonator_id === (author.impersonator?.id ?? null)

/** Whatever somebody else has done to the order since rests on the step; so does any other step. */
function refuseOvertaken(db: Database, step: Step, latest: Step | undefined): void {
  if (step.undone_at !== null) throw new UndoRefused(409, 'This step was already undone.')
  const { actor_id, impersonator_id } = changes
  const ofOrder = and(
    eq(changes.entity, 'orders'),
    eq(changes.record_id, step.order_id),
    gt(changes.record_version, step.record_version ?? 0),
  )
  const byOthers = sql`(${actor_id} is not ${step.actor_id} or ${impersonator_id} is not ${step.impersonator_id})`
  const other = db.select({ name: changes.actor_name }).from(changes).where(and(ofOrder, byOthers)).limit(1).get()
  const name = other?.name ?? (latest && latest.id !== step.id ? latest.actor_name : undefined)
  if (name !== undefined) throw new UndoRefused(409, '{name} changed this order meanwhile. Nothing was undone.', { name })
}

/** A payment that was reported with the step, unless somebody has decided about it. */
function takeBackPayment({ server: app, author }: Acting, { filled: { reported_payment: id } }: Step): void {
  const payment = typeof id === 'number' ? findPayment(app.db, id) : undefined
  if (!payment) return
  if (payment.state !== 'reported')
    throw new UndoRefused(409, '{name} changed this order meanwhile. Nothing was undone.', { name: payment.decider_name })
  withdrawPayment(app, payment, author)
}

/** What the step changed and nobody has changed since, as it was before. */
function valuesBefore(db: Database, order: Order, { order_id, record_version }: Step): OrderChanges {
  const ofStep = and(eq(changes.entity, 'orders'), eq(changes.record_id, order_id), eq(changes.record_version, record_version ?? 0))
  const fields: ChangedFields = db.select().from(changes).where(ofStep).get()?.fields ?? {}
  const current: Record<string, unknown> = { ...order }
  const unchanged = Object.entries(fields).filter(([name, [, after]]) => current[name] === after)
  return Object.fromEntries(unchanged.map(([name, [before]]) => [name, before]))
}

/** The form that takes back the newest step of an order, while this person may. */
export function offerUndo(acting: Acting, order: Order, kept: Record<string, string> = {}): UndoForm | undefined {
  const { server } = acting
  const latest = historyOf(server.db).get({ order: order.id })?.entry
  if (!latest || latest.undo_until === null || latest.undo_until <= Date.now() || !isOwn(acting, latest)) return undefined
  const fields = { step: String(latest.id), once: crypto.randomUUID(), ...kept }
  return { action: url(server, `/orders/${order.id}/undo`), fields, time: latest.undo_until - Date.now() }
}
