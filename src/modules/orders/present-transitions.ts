import { desc, eq } from 'drizzle-orm'
import { type Actor, allows, checkAccess } from '../../core/access.ts'
import { statusNameFor } from '../../core/default-workflow.ts'
import { editableFields } from '../../core/order-editable-fields.ts'
import { ofPrices, seesPrices } from '../../core/prices.ts'
import {
  isFilled,
  mayPerform,
  missingFields,
  outgoingTransitions,
  type RequirableField,
  statusById,
  type Transition,
  type Workflow,
} from '../../core/transition-rules.ts'
import { orderHistory, prepareOnce, statuses } from '../../database/index.ts'
import { orders } from '../../database/schema/index.ts'
import type { Translate } from '../../i18n/translate.ts'
import type { Acting } from '../../web/acting.ts'
import { type Entry, type FormState, fieldsOf, form, option, text } from '../../web/form/form.ts'
import { type FormView, presentForm } from '../../web/form/view.ts'
import type { Problem } from '../../web/http.ts'
import { ownUpload } from '../../web/uploads/uploaded.ts'
import { formatDateTime } from '../../web/view/format.ts'
import { loadWorkflow } from '../workflow/load.ts'
import { presentPath } from '../workflow/order-path.ts'
import { may } from './access.ts'
import { unmetBy } from './describe-conditions.ts'
import { describeEntry, describeExcess, describeFilled } from './describe-entry.ts'
import { describeStep } from './describe-step.ts'
import { orderForm, unseenOf } from './form.ts'
import type { Order } from './order.ts'
import { proposePayment } from './payments/amounts.ts'
import { stepPayment } from './payments/form.ts'
import { findOutdatedPrices, mayKeepPrices, priceAnswers } from './pricing/outdated-prices.ts'

export interface TransitionAttempt {
  status: number
  transition: Transition
  entry: Entry
  /** What its form cannot mend. */
  problem?: Problem
}

export function transitionForm(transition: Transition, names: readonly string[] = transition.required_fields) {
  const required = Object.entries(orderForm.fields).filter(([name]) => names.includes(name))
  const fields = Object.fromEntries(required) as Pick<typeof orderForm.fields, Exclude<RequirableField, 'prices'>>
  return form(
    orders,
    [
      { title: 'Required fields', fields: { ...fields, ...stepPayment } },
      { title: 'Prices', fields: { prices: option('Prices', priceAnswers, ofPrices) } },
      {
        title: 'Credit limit',
        fields: {
          exceed_reason: text('Reason for exceeding the credit limit', { max: 1000, hint: 'Saved in the order history.', ...ofPrices }),
        },
      },
      { title: 'Optional', fields: { note: text('Comment', { max: 1000, hint: 'Saved in the order history.' }) } },
    ],
    { extras: ['prices', 'exceed_reason', 'note', 'amount', 'date'] },
  )
}

/** Empty required fields can be filled in whatever the status policies say; filled ones are locked for those who may not edit them. */
export function transitionFormState(acting: Acting, order: Order, transition: Transition): FormState {
  const { server, actor } = acting
  const editable = editableFields(actor, order.statusPermissions)
  const stored: Record<string, unknown> = { ...order }
  const outdated = findOutdatedPrices(server.db, order)
  const cost = Math.max(order.cost, outdated?.cost ?? 0)
  const exceeds = unmetBy(transition, { ...order, cost }).some(({ kind }) => kind === 'within_limit')
  const unasked = [
    ...(seesPrices(actor) && outdated ? [] : ['prices']),
    ...(exceeds && mayExceed(actor) ? [] : ['exceed_reason']),
    ...(asksForPayment(acting, transition, order) ? [] : Object.keys(stepPayment)),
  ]
  const hidden = new Set([...unseenOf(actor), ...unasked])
  const locked = transition.required_fields.filter((name) => isFilled(stored[name]) && !editable.has(name) && !hidden.has(name))
  if (!mayExceed(actor)) locked.push('exceed_reason')
  const fileName = (key: string) => ownUpload(server.db, key, actor.id)?.name
  return { mode: 'edit', stored, choices: {}, locked: new Set(locked), hidden, fileName }
}

/** Whether an amount can stand for the file that is missing. */
export function asksForPayment({ actor }: Acting, transition: Transition, order: Order): boolean {
  return missingFields(transition, order).includes('payment_order') && allows(may.reportPayment, actor, order)
}

/** Whether somebody may move orders on although their company exceeds its credit limit. */
export const mayExceed = (actor: Actor): boolean => seesPrices(actor) && checkAccess(actor, 'order_can_exceed_limit')

export function presentTransitions(acting: Acting, order: Order, attempt?: TransitionAttempt) {
  const { t, server, actor } = acting
  const workflow = loadWorkflow(server.db, acting.language)
  return {
    status: statusById(workflow, order.status_id),
    since: historyOf(server.db).all({ order: order.id }).find(isValid)?.entry.at,
    transitions: outgoingTransitions(workflow, order.status_id).map((transition) => describeStep(acting, workflow, transition, order)),
    path: order.status_id === null ? undefined : presentPath(workflow, pathOf(acting, order, workflow), t),
    assignableStatuses: allows(may.assignStatus, actor, order) ? workflow.statuses : undefined,
    conflict: attempt?.status === 409 ? presentConflict(acting, order, attempt) : undefined,
    attempt: attempt && attempt.status !== 409 ? presentAttempt(acting, order, workflow, attempt) : undefined,
    once: crypto.randomUUID(),
  }
}

export function pathOf({ server, actor }: Acting, order: Order, workflow: Workflow) {
  const history = historyOf(server.db).all({ order: order.id }).filter(isValid)
  const visited = history.flatMap(({ entry }) => entry.to_status_id ?? []).reverse()
  const possible = outgoingTransitions(workflow, order.status_id).filter((transition) => mayPerform(transition, actor, order))
  return { visited, current: order.status_id, possible: possible.map(({ id }) => id) }
}

export function presentAttempt(acting: Acting, order: Order, workflow: Workflow, { transition, entry, problem }: TransitionAttempt) {
  return {
    problem: problem && acting.t(problem.message, problem.params),
    transition: transition.id,
    to: statusById(workflow, transition.child_status_id),
    unanswered: Object.keys(entry.typed).length === 0,
    form: presentTransitionForm(acting, order, transition, entry),
  }
}

/** The form of a step, a payment that it asks for filled in. Prices as written are offered only to those who may keep them. */
export function presentTransitionForm(acting: Acting, order: Order, transition: Transition, entry?: Entry): FormView {
  const page = transitionFormState(acting, order, transition)
  const { kind, ...payment } = proposePayment(acting.server.db, order)
  const proposed = asksForPayment(acting, transition, order) && { ...payment, payment: order.payment ?? kind }
  const view = presentForm(transitionForm(transition), { ...page, stored: { ...page.stored, ...proposed } }, acting.t, entry)
  for (const field of view.groups.flatMap(({ fields }) => fields))
    if (field.id === 'prices' && 'options' in field && !mayKeepPrices(acting, order))
      field.options = field.options.filter(({ id }) => id !== 'keep')
  return view
}

export function presentConflict(acting: Acting, order: Order, attempt: TransitionAttempt) {
  return { message: conflictMessage(acting, order), typed: typedValues(attempt, acting.t) }
}

/** An order that nobody has moved may have been shown in a status that it never had. */
export function conflictMessage({ server, t, language }: Acting, order: Order): string {
  const latest = historyOf(server.db).get({ order: order.id })?.entry
  if (!latest) return t('This order is in another status. Your change was not applied.')
  const status = latest.to_name === null ? t('No status') : statusNameFor(language, latest.to_name)
  const values = { name: latest.actor_name, status, date: formatDateTime(latest.at) }
  return t('{name} moved this order to "{status}" on {date}. Your change was not applied.', values)
}

function typedValues({ transition, entry }: TransitionAttempt, t: Translate) {
  const fields = fieldsOf(transitionForm(transition), { mode: 'edit' })
  return Object.entries(entry.typed)
    .filter(([, value]) => value.trim() !== '')
    .map(([name, value]) => ({ label: t(fields.get(name)?.label ?? name), value }))
}

/** Steps that were undone, and those that undid them, are no part of the way that an order has gone. */
export const isValid = ({ entry }: HistoryRow) => entry.undone_at === null && entry.undoes_id === null

export type HistoryRow = ReturnType<ReturnType<typeof historyOf>['all']>[number]

/**
 * @param history all of it, newest first
 * @param shown how many of the newest are presented
 */
export function presentEntries(acting: Acting, history: HistoryRow[], shown = history.length) {
  const first = history.at(-1)?.entry
  return history.slice(0, shown).map(({ entry, color }) => ({
    ...entry,
    sentence: describeEntry(acting, entry, entry === first && entry.from_name === null),
    to: { name: entry.to_name, color },
    filled: [...describeFilled(acting, entry.filled), ...describeExcess(acting, entry)],
    forced: describeFilled(acting, entry.forced),
  }))
}

/** The newest entry comes first. */
export const historyOf = prepareOnce((db, given) => {
  const entries = db.select({ entry: orderHistory, color: statuses.color }).from(orderHistory)
  const withColors = entries.leftJoin(statuses, eq(statuses.id, orderHistory.to_status_id))
  return withColors.where(eq(orderHistory.order_id, given.order)).orderBy(desc(orderHistory.at), desc(orderHistory.id)).prepare()
})
