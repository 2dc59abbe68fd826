import { desc, eq } from 'drizzle-orm'
import type { Actor } from '../../../core/access.ts'
import { deedFor, pastStatusNameFor } from '../../../core/default-workflow.ts'
import { seesPrices } from '../../../core/prices.ts'
import { mayPerform, outgoingTransitions, type Workflow } from '../../../core/transition-rules.ts'
import { type Database, orderHistory, prepareOnce, statuses } from '../../../database/index.ts'
import type { Context } from '../../../http/request/context.ts'
import { savedName } from '../../../http/uploads/uploaded.ts'
import { formatDateTime } from '../../../i18n/format.ts'
import { holdsFile } from '../../../records/fields/index.ts'
import { describeValue } from '../../../records/form/describe-value.ts'
import { fieldsOf, inState } from '../../../records/form/form.ts'
import { loadWorkflow } from '../../workflow/load.ts'
import { orderForm, unseenOf } from '../form.ts'
import type { Order } from '../order.ts'

/** A status change that was made. */
export type Step = typeof orderHistory.$inferSelect

/** The newest step comes first. */
export const historyOf = prepareOnce((db, params) => {
  const steps = db.select({ step: orderHistory, color: statuses.color }).from(orderHistory)
  const withColors = steps.leftJoin(statuses, eq(statuses.id, orderHistory.to_status_id))
  return withColors.where(eq(orderHistory.order_id, params.order)).orderBy(desc(orderHistory.at), desc(orderHistory.id)).prepare()
})

export const latestStep = (db: Database, order: number): Step | undefined => historyOf(db).get({ order })?.step

/** The statuses that an order has been in, and where the reader can move it. */
export function pathOf({ server, actor }: Context, order: Order, workflow: Workflow) {
  const history = historyOf(server.db).all({ order: order.id }).filter(isInForce)
  const visited = history.flatMap(({ step }) => step.to_status_id ?? []).reverse()
  const possible = outgoingTransitions(workflow, order.status_id).filter((transition) => mayPerform(transition, actor, order))
  return { visited, current: order.status_id, possible: possible.map(({ id }) => id) }
}

/** An order that nobody has moved may have been shown in a status that it never had. */
export function conflictMessage({ server, t, language }: Context, order: Order): string {
  const latest = latestStep(server.db, order.id)
  if (!latest) return t('This order is in another status. Your change was not applied.')
  const status = latest.to_name === null ? t('No status') : pastStatusNameFor(language, latest.to_name)
  const values = { name: latest.actor_name, status, date: formatDateTime(latest.at) }
  return t('{name} moved this order to "{status}" on {date}. Your change was not applied.', values)
}

/** Steps that were undone, and those that undid them, are no part of the way that an order has gone. */
export const isInForce = ({ step }: HistoryRow) => step.undone_at === null && step.undoes_id === null

export type HistoryRow = ReturnType<ReturnType<typeof historyOf>['all']>[number]

/**
 * @param history all of it, newest first
 * @param shown how many of the newest are presented
 */
export function viewOfHistory(context: Context, history: HistoryRow[], shown = history.length) {
  const first = history.at(-1)?.step
  const fields = seenFields(context.actor)
  return history.slice(0, shown).map(({ step, color }) => ({
    ...step,
    sentence: sentenceOf(context, step, step === first && step.from_name === null, fields),
    to: { name: step.to_name && pastStatusNameFor(context.language, step.to_name), color },
    filled: [...describeFilled(context, fields, step.filled), ...describeExcess(context, step)],
    forced: describeFilled(context, fields, step.forced),
  }))
}

/** A status change as a sentence, such as "Petrova Maria requested payment and attached specification.pdf and invoice.pdf". */
export function sentenceOf(context: Context, step: Step, isFirst: boolean, fields = seenFields(context.actor)): string {
  const { t, language } = context
  const files = filesOf(context, fields, step)
  const name = step.actor_name
  const done = describeDeed(context, step, isFirst)
  if (files.length === 0) return t('{name} {done}', { name, done })
  return t('{name} {done} and attached {files}', { name, done, files: new Intl.ListFormat(language).format(files) })
}

function describeDeed({ t, language, server }: Context, { transition_id, to_name, undoes_id, when_paid }: Step, isFirst: boolean): string {
  if (undoes_id !== null) return t('undid a step')
  if (when_paid) return t('booked the money that moved the order to "{status}"', { status: pastStatusNameFor(language, to_name ?? '') })
  if (isFirst) return t('placed the order')
  const transition = loadWorkflow(server.db).transitions.find(({ id }) => id === transition_id)
  return deedFor(language, transition) ?? t('moved the order to "{status}"', { status: pastStatusNameFor(language, to_name ?? '') })
}

type SeenFields = ReturnType<typeof seenFields>

const seenFields = (actor: Actor) => fieldsOf(orderForm, { mode: 'edit', states: inState('hidden', unseenOf(actor)) })

function filesOf({ server: { db } }: Context, fields: SeenFields, { order_id, filled }: Step): string[] {
  return Object.entries(filled).flatMap(([name, key]) => {
    const field = fields.get(name)
    return field && holdsFile(field) ? (savedName(db, { entity: 'orders', id: order_id, field: name }, String(key)) ?? []) : []
  })
}

/** Fields with their values, without the files that the sentence names. */
function describeFilled({ t }: Context, fields: SeenFields, values: Record<string, unknown>) {
  return Object.entries(values).flatMap(([name, value]) => {
    const field = fields.get(name)
    return field && !holdsFile(field) ? [{ label: t(field.label), value: describeValue(name, field, value, {}, t) }] : []
  })
}

/** Why the step was made although the company exceeds its credit limit. */
function describeExcess({ actor, t }: Context, { exceed_reason }: Step) {
  return exceed_reason && seesPrices(actor) ? [{ label: t('Reason for exceeding the credit limit'), value: exceed_reason }] : []
}
