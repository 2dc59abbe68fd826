import { fittingTransitions, nextSteps } from '../../../core/likely-step.ts'
import { findProblems, issuedBy, type StepFacts } from '../../../core/plan-transition.ts'
import { isFinal, outgoingTransitions, statusById, type Transition } from '../../../core/transition-rules.ts'
import type { Context } from '../../../http/request/context.ts'
import { parseId } from '../../../http/request/input.ts'
import { formatCalendarDate, today } from '../../../i18n/format.ts'
import { fieldsOf } from '../../../records/form/form.ts'
import type { Order } from '../order.ts'
import { amountsOf, unconfirmedSum } from '../payments/amounts.ts'
import type { viewOfPayments } from '../payments/section.ts'
import { editAddress } from '../sections.ts'
import { describeMissing, describeOutdated, describeUnmet, isBlocked, missingIn, namesDetails } from '../transitions/describe-problems.ts'
import { describeStep } from '../transitions/describe-step.ts'
import {
  notProposed,
  type TransitionAttempt,
  type Tried,
  transitionForm,
  transitionFormState,
  viewOfStepForm,
} from '../transitions/step-form.ts'
import { dueDay } from '../waiting.ts'

export function viewOfSteps(context: Context, order: Order, facts: StepFacts, payments: ReturnType<typeof viewOfPayments>) {
  const { workflow } = facts
  /** Of several that are as likely one stands out, too. */
  const [likely] = nextSteps(workflow, order, context.actor)
  const steps = outgoingTransitions(workflow, order.status_id).map((transition) => ({
    ...viewOfStepOnward(context, order, transition, facts),
    likely: transition === likely,
  }))
  const primary = steps.find((step) => step.likely)
  /** What the balance is enough for is paid from it before it is paid once more; no other step is put off by that. */
  const balanceLeads = payments?.settles === true && primary !== undefined && payments.reporting === primary.id
  const open = steps.filter(({ allowed, likely }) => allowed && !likely)
  return {
    primary,
    balanceLeads,
    /** What comes before a step leads instead of it. */
    stepLeads: primary !== undefined && !primary.detailsAddress && !balanceLeads,
    others: open.filter(({ cancels }) => !cancels),
    cancels: open.filter(({ cancels }) => cancels),
    refused: steps.filter((step) => !step.allowed),
    next: steps.some(({ allowed, final }) => allowed && !final) ? undefined : describeNext(context, order, facts),
  }
}

/** Of what it lacks only that is said with which its form is not filled in, and details as links, the first of which comes before the step. */
function viewOfStepOnward(context: Context, order: Order, transition: Transition, facts: StepFacts) {
  const step = describeStep(context, order, transition, facts)
  if (!step.allowed) return { ...step, detailsAddress: undefined }
  const lacking = notProposed(context, order, transition, step.missing)
  const missing = lacking.length > 0 ? [context.t(describeMissing(context, lacking))] : []
  const { href } = step.details.find(({ of, href }) => of !== 'order' && href) ?? {}
  return { ...step, reason: [...missing, ...step.unmet].join('. '), detailsAddress: href }
}

/** What comes next, and by when unless that has passed, for those who wait for others. */
function describeNext({ t, language }: Context, order: Order, { workflow }: StepFacts): string | undefined {
  const onward = fittingTransitions(workflow, order).filter(({ child_status_id }) => !isFinal(workflow, child_status_id))
  if (onward.length === 0) return undefined
  const names = onward.map(({ child_status_id }) => statusById(workflow, child_status_id)?.name ?? '')
  const next = t('Next: {statuses}', { statuses: new Intl.ListFormat(language, { type: 'disjunction' }).format(names) })
  const date = dueDay(workflow, order)?.day
  return date && date >= today() ? `${next} · ${t('planned for {date}', { date: formatCalendarDate(date) })}` : next
}

/**
 * The form of a step that was tried in vain, or that the query asks for.
 * @returns undefined where the order has moved on, or where this person may not take the step
 */
export function viewOfOpenStep(context: Context, order: Order, facts: StepFacts, query: URLSearchParams, attempt?: TransitionAttempt) {
  if (attempt) return attempt.status === 409 ? undefined : viewOfStep(context, order, attempt, facts)
  const id = parseId(query.get('transition_id'))
  const transition = outgoingTransitions(facts.workflow, order.status_id).find((one) => one.id === id)
  if (!transition || findProblems(order, transition, {}, facts).some(({ kind }) => kind === 'forbidden')) return undefined
  return viewOfStep(context, order, { transition }, facts)
}

function viewOfStep(context: Context, order: Order, tried: Tried, facts: StepFacts) {
  const { t } = context
  const { entry, problem, transition } = tried
  const { id, name, to, final, cancels, asks, missing, details, problems } = describeStep(context, order, transition, facts)
  const question = entry && (entry.errors.prices || !facts.seesPrices) ? undefined : describeOutdated(order, problems)
  const elsewhere = missingIn(problems).flatMap((one) => (one.elsewhere && one.field !== 'prices' ? one.field : []))
  const hindering = [...(elsewhere.length > 0 ? [describeMissing(context, elsewhere)] : []), ...describeUnmet(problems, facts)]
  const rejected = Object.keys(entry?.typed ?? {}).length > 0
  return {
    ...{ id, name, to, final, cancels, asks },
    outdated: question && t(question),
    problem: problem && !namesDetails(problem) ? t(problem) : entry ? undefined : hindering.map((one) => t(one)).join('. '),
    details: tried.missing ?? (entry ? [] : details),
    /** What becomes of it when the order is canceled is said with the other money. */
    unconfirmed: cancels ? 0 : unconfirmedSum(context, order.id),
    money: facts.seesPrices && cancels ? moneyOfCanceled(context, order) : [],
    lacksPrices: missing.includes('prices'),
    linesAddress: editAddress(context, order, 'lines'),
    isTried: entry !== undefined,
    rejected,
    /** What was typed is not taken away, whatever hinders it meanwhile. */
    blocked: !rejected && isBlocked(problems),
    form: formOfStep(context, order, tried, facts, { asks, final, missing }),
  }
}

/** What becomes of money when an order is canceled. */
function moneyOfCanceled({ server: { db }, t }: Context, order: Order): string[] {
  const { charged, paid, reported } = amountsOf(db, order)
  return [
    ...(reported > 0 ? [t('A payment of {amount} waits to be confirmed.', { amount: t.money(reported) })] : []),
    ...(paid > 0 ? [t('What was paid ({amount}) will be moved to the balance of the company.', { amount: t.money(paid) })] : []),
    ...(charged > 0 ? [t('The charge of {amount} will be taken back.', { amount: t.money(charged) })] : []),
  ]
}

const questions = ['amount', 'date', 'note', 'prices', 'exceed_reason']

/** Only what the step asks for. The first field has the focus, unless all are optional; a final step asks for its reason. */
function formOfStep(
  context: Context,
  order: Order,
  tried: Tried,
  facts: StepFacts,
  { asks, final, missing }: { asks: boolean; final: boolean; missing: readonly string[] },
) {
  const { transition, entry } = tried
  const isAsked = (name: string) => missing.includes(name) || questions.includes(name) || entry?.errors[name] !== undefined
  const issued: readonly string[] = issuedBy(order, transition, {}, facts)
  const fields = [...fieldsOf(transitionForm(transition), transitionFormState(context, order, transition, facts)).keys()]
  const first = final || !asks ? {} : { focus: fields.find(isAsked) }
  const required = missing.map((name) => [name, { required: true }] as const)
  const computed = { ...Object.fromEntries(required), ...(final && { note: { label: context.t('Reason') } }) }
  const form = viewOfStepForm(context, order, tried, facts, { ...first, computed })
  const sections = form.sections.map((section) => ({
    ...section,
    fields: section.fields.filter(({ id }) => isAsked(id) || issued.includes(id)),
  }))
  return { ...form, sections: sections.filter((section) => section.fields.length > 0) }
}
