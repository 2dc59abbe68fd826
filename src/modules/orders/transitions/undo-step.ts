import { and, eq, gt, sql } from 'drizzle-orm'
import { pastStatusNameFor } from '../../../core/default-workflow.ts'
import { isOwnStep, planUndo, type UndoPlan, type UndoProblem } from '../../../core/plan-undo.ts'
import { statusById } from '../../../core/transition-rules.ts'
import { authorColumns, type ChangedFields, changes, type Database, orderHistory, orders, updateRecord } from '../../../database/index.ts'
import { url } from '../../../http/request/addresses.ts'
import type { Context } from '../../../http/request/context.ts'
import { HttpError } from '../../../http/request/errors.ts'
import type { UndoForm } from '../../../http/request/flash.ts'
import { settleOrder } from '../../ledger/book.ts'
import { findPayment, withdrawPayment } from '../../ledger/payment.ts'
import { withdrawNotifications } from '../../notifications/queue.ts'
import { withdrawEvents } from '../../notifications/webhooks/queue-event.ts'
import { loadWorkflow } from '../../workflow/load.ts'
import { undoDocuments } from '../documents/step.ts'
import { type Order, type OrderChanges, orderLabel } from '../order.ts'
import { stepSubject } from './apply-plan.ts'
import { latestStep, type Step } from './history.ts'

const refusals: Record<UndoProblem, [status: number, message: string]> = {
  foreign: [403, 'Only whoever made a step can undo it.'],
  undone: [409, 'This step was already undone.'],
  overtaken: [409, '{name} changed this order meanwhile. Nothing was undone.'],
  never: [422, 'This step cannot be undone.'],
  late: [422, 'More than ten seconds have passed: this step can no longer be undone.'],
  gone: [409, 'The previous status was deleted meanwhile. Nothing was undone.'],
}

/**
 * Takes back a step: status and fields become what they were, and what others were told of it is withdrawn. Nobody is notified, and the
 * history keeps both. Call it inside `write`.
 * @throws HttpError 409 once something else has happened to the order, 422 when the time is over, 403 for the step of somebody else
 */
export function undoStep(context: Context, order: Order, stepId: number): void {
  const { db } = context.server
  const named = and(eq(orderHistory.id, stepId), eq(orderHistory.order_id, order.id))
  const step = db.select().from(orderHistory).where(named).get()
  if (!step) throw refusal('never')
  const overtakenBy = overtakerOf(db, step)
  const plan = planUndo(order, step, { now: Date.now(), author: context.author, overtakenBy, ...writtenBy(db, step) })
  if (typeof plan === 'string') throw refusal(plan, overtakenBy)
  takeBackPayment(context, step)
  applyUndo(context, order, step, plan)
}

function refusal(problem: UndoProblem, name?: string | null): HttpError {
  const [status, message] = refusals[problem]
  return new HttpError(status, message, name === undefined ? undefined : { name })
}

/** Whatever somebody else has done to the order since rests on the step; so does any other step. */
function overtakerOf(db: Database, step: Step): string | undefined {
  const { actor_id, impersonator_id } = changes
  const since = gt(changes.record_version, step.record_version ?? 0)
  const byOthers = sql`(${actor_id} is not ${step.actor_id} or ${impersonator_id} is not ${step.impersonator_id})`
  const ofOrder = and(eq(changes.entity, 'orders'), eq(changes.record_id, step.order_id), since, byOthers)
  const other = db.select({ name: changes.actor_name }).from(changes).where(ofOrder).limit(1).get()
  const latest = latestStep(db, step.order_id)
  return other?.name ?? (latest && latest.id !== step.id ? latest.actor_name : undefined)
}

function writtenBy(db: Database, { order_id, record_version, from_status_id }: Step) {
  const ofStep = and(eq(changes.entity, 'orders'), eq(changes.record_id, order_id), eq(changes.record_version, record_version ?? 0))
  const changed: ChangedFields = db.select().from(changes).where(ofStep).get()?.fields ?? {}
  return { from: statusById(loadWorkflow(db), from_status_id), changed }
}

/** A payment that was reported with the step, unless somebody has decided about it. */
function takeBackPayment({ server, author }: Context, { filled: { reported_payment: id } }: Step): void {
  const payment = typeof id === 'number' ? findPayment(server.db, id) : undefined
  if (!payment) return
  if (payment.state !== 'reported') throw refusal('overtaken', payment.decider_name)
  withdrawPayment(server, payment, author)
}

function applyUndo({ server, author }: Context, order: Order, step: Step, { to, values }: UndoPlan): void {
  const { db } = server
  updateRecord(db, orders, order, values as OrderChanges, orderLabel(order), author)
  settleOrder(db, order.id, author)
  undoDocuments({ server, author }, step.id)
  withdrawNotifications(server, { history_id: step.id })
  withdrawEvents(server, stepSubject(step.id))
  const at = Date.now()
  db.update(orderHistory).set({ undone_at: at, undo_until: null }).where(eq(orderHistory.id, step.id)).run()
  const reverse = { from_status_id: step.to_status_id, from_name: step.to_name, to_status_id: to.id, to_name: to.name, undoes_id: step.id }
  db.insert(orderHistory)
    .values({ order_id: order.id, at, ...reverse, ...authorColumns(author), record_version: order.version + 1 })
    .run()
}

/** The form that takes back the newest step of an order, while this person may. */
export function offerUndo({ server, author }: Context, latest: Step | undefined, kept: Record<string, string> = {}): UndoForm | undefined {
  if (!latest || latest.undo_until === null || latest.undo_until <= Date.now() || !isOwnStep(latest, author)) return undefined
  const fields = { step: String(latest.id), once: crypto.randomUUID(), ...kept }
  return { action: url(server, `/orders/${latest.order_id}/undo`), fields, time: latest.undo_until - Date.now() }
}

/** What taking back the newest step does. */
export function nameOfUndo({ t, language }: Context, step: Step | undefined): string {
  const from = step?.from_name
  return from ? t('Return to "{status}"', { status: pastStatusNameFor(language, from) }) : t('Undo the step')
}
