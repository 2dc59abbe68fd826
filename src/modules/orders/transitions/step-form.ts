import { allows } from '../../../core/access.ts'
import { type IssuableKind, issuableKinds } from '../../../core/documents.ts'
import { editableFields } from '../../../core/order-editable-fields.ts'
import { issuedBy, type MissingDetail, type StepFacts } from '../../../core/plan-transition.ts'
import { ofPrices } from '../../../core/prices.ts'
import { isFilled, missingFields, type RequirableField, type Transition, unmetConditions } from '../../../core/transition-rules.ts'
import { orders } from '../../../database/index.ts'
import type { Context } from '../../../http/request/context.ts'
import type { Problem } from '../../../http/request/errors.ts'
import { ownUpload } from '../../../http/uploads/uploaded.ts'
import type { Translate } from '../../../i18n/translate.ts'
import { option, text } from '../../../records/fields/index.ts'
import { type Entry, type FormState, fieldsOf, form, inState } from '../../../records/form/form.ts'
import { type FormView, viewOfForm } from '../../../records/form/view.ts'
import { stepPayment } from '../../ledger/payment-form.ts'
import { orderAccess } from '../access.ts'
import { orderForm } from '../form.ts'
import type { Order } from '../order.ts'
import { proposePayment } from '../payments/amounts.ts'
import { conflictMessage } from './history.ts'

export interface TransitionAttempt {
  status: number
  transition: Transition
  entry: Entry
  /** What its form cannot mend. */
  problem?: Problem
  /** What its documents lack. */
  missing?: readonly MissingDetail[]
  /** Those of them in whose place a file can be uploaded. */
  uploads?: readonly IssuableKind[]
}

export function transitionForm(transition: Transition, names: readonly string[] = fieldsFilledBy(transition)) {
  const required = Object.entries(orderForm.fields).filter(([name]) => names.includes(name))
  const fields = Object.fromEntries(required) as Pick<typeof orderForm.fields, Exclude<RequirableField, 'prices'>>
  const asked = {
    ...fields,
    ...stepPayment,
    prices: option('Prices', priceAnswers, ofPrices),
    exceed_reason: text('Reason for exceeding the credit limit', { max: 1000, hint: 'Saved in the order history.', ...ofPrices }),
    note: text('Comment', { max: 1000, hint: 'Saved in the order history.' }),
  }
  return form(orders, [{ title: 'Data', fields: asked }], { extras: ['prices', 'exceed_reason', 'note', 'amount', 'date'] })
}

/** What a transition requires, and the files that it issues. */
const fieldsFilledBy = ({ required_fields, issues = [] }: Transition): string[] => [
  ...required_fields,
  ...issuableKinds.filter((kind) => issues.includes(kind)),
]

/** Empty required fields can be filled in whatever the status policies say; filled ones are locked for those who may not edit them. */
export function transitionFormState(context: Context, order: Order, transition: Transition, facts: StepFacts): FormState {
  const { server, actor } = context
  const { renewedCost = 0, mayExceed } = facts
  const editable = editableFields(actor, order.statusPermissions)
  const stored: Record<string, unknown> = { ...order }
  const dearest = Math.max(order.cost, renewedCost)
  const exceeds = unmetConditions(transition, dearest, order.account).some(({ kind }) => kind === 'within_limit')
  const unasked = [
    ...(facts.seesPrices && facts.renewedCost !== undefined ? [] : ['prices']),
    ...(exceeds && mayExceed ? [] : ['exceed_reason']),
    ...(asksForPayment(context, transition, order) ? [] : Object.keys(stepPayment)),
  ]
  const locked = fieldsFilledBy(transition).filter((name) => isFilled(stored[name]) && !editable.has(name))
  const states = {
    ...inState('locked', locked),
    ...inState('hidden', [...facts.unseen, ...unasked]),
    ...inState('sealed', mayExceed ? [] : ['exceed_reason']),
  }
  const fileName = (key: string) => ownUpload(server.db, key, actor.id)?.name
  const issued = issuedBy(order, transition, {}, facts).map((kind) => [kind, { text: 'Issued with this step unless you upload a file.' }])
  return { mode: 'edit', stored, choices: {}, states, fileName, hints: Object.fromEntries(issued) }
}

/** Whether an amount can stand for the file that is missing. */
export function asksForPayment({ actor }: Context, transition: Transition, order: Order): boolean {
  return missingFields(transition, order).includes('payment_order') && allows(orderAccess.reportPayment, actor, order)
}

/** What of an order a payment of what is open stands for, with which the form of a step is filled in. */
const proposedFields: readonly string[] = ['payment_order', 'payment']

/** What a step asks for that its form is not filled in with. */
export function notProposed<Name extends string>(context: Context, order: Order, transition: Transition, missing: readonly Name[]): Name[] {
  const proposes = asksForPayment(context, transition, order) && proposePayment(context.server.db, order).amount !== null
  return missing.filter((name) => !proposes || !proposedFields.includes(name))
}

/** Fields of an order that may be empty in it are marked where a step requires them. */
export function asRequired(names: readonly string[]) {
  return Object.fromEntries(names.map((name) => [name, { required: true }]))
}

export type Tried = Pick<TransitionAttempt, 'transition'> & Partial<TransitionAttempt>

const unissued = { message: 'Upload a file, or first fill in what is missing.' }

/** The form of a step, a payment that it asks for filled in. Prices as written are offered only to those who may keep them. */
export function viewOfStepForm(
  context: Context,
  order: Order,
  { transition, entry: sent, uploads = [] }: Tried,
  facts: StepFacts,
  { computed, focus }: Pick<FormState, 'computed' | 'focus'> = {},
): FormView {
  const { t } = context
  const state = transitionFormState(context, order, transition, facts)
  const entry = sent && { ...sent, errors: { ...Object.fromEntries(uploads.map((kind) => [kind, unissued])), ...sent.errors } }
  const renewed = { id: 'renew', name: t(priceAnswers.renew), selected: entry?.typed.prices === 'renew' }
  const needed = transition.required_fields.filter((name) => !issuedBy(order, transition, {}, facts).some((kind) => kind === name))
  const inputs = { ...asRequired(needed), ...computed, ...(!facts.mayKeepPrices && { prices: { options: [renewed] } }) }
  const shown = { ...state, computed: inputs, focus }
  if (!asksForPayment(context, transition, order)) return viewOfForm(transitionForm(transition), shown, t, entry)
  const view = viewOfForm(transitionForm(transition), withPayment(context, order, shown), t, entry)
  return { ...view, sections: view.sections.flatMap((section) => paymentFirst(section, t)) }
}

/** With what is open filled in; the file that proves a payment nobody has to send. */
function withPayment({ server }: Context, order: Order, state: FormState): FormState {
  const { kind, ...payment } = proposePayment(server.db, order)
  const asked = { payment: { required: true }, payment_order: { required: false } }
  return {
    ...state,
    stored: { ...state.stored, ...payment, payment: order.payment ?? kind },
    computed: { ...state.computed, ...asked },
    focus: state.focus && 'amount',
    hints: { ...state.hints, payment_order: { text: 'Instead of the amount, or with it: then the check is faster' } },
  }
}

/** Of these an amount with its day, or the file, is enough. */
const waysToReport = ['amount', 'date', 'payment', 'payment_order']

/** The two ways to say that something was paid stand together, before anything else. */
function paymentFirst(section: FormView['sections'][number], t: Translate): FormView['sections'] {
  const ways = waysToReport.flatMap((name) => section.fields.filter(({ id }) => id === name))
  const others = section.fields.filter(({ id }) => !waysToReport.includes(id))
  return [
    { ...section, title: t('Amount or document'), quiet: false, fields: ways },
    { ...section, fields: others },
  ]
}

export function viewOfConflict(context: Context, order: Order, attempt: TransitionAttempt) {
  return { message: conflictMessage(context, order), typed: typedValues(attempt, context.t) }
}

function typedValues({ transition, entry }: TransitionAttempt, t: Translate) {
  const fields = fieldsOf(transitionForm(transition), { mode: 'edit' })
  return Object.entries(entry.typed)
    .filter(([, value]) => value.trim() !== '')
    .map(([name, value]) => ({ label: t(fields.get(name)?.label ?? name), value }))
}

/** What a step does with prices that hold no longer. */
const priceAnswers = { renew: 'Prices of today', keep: 'Prices as written' } as const
