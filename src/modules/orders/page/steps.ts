import { likelyStep } from '../../../core/likely-step.ts'
import { seesPrices } from '../../../core/prices.ts'
import { mayPerform, outgoingTransitions, type Transition, type Workflow } from '../../../core/transition-rules.ts'
import type { Acting } from '../../../web/acting.ts'
import { parseId } from '../../../web/http.ts'
import { describeStep } from '../describe-step.ts'
import type { Order } from '../order.ts'
import { presentTransitionForm, type TransitionAttempt } from '../present-transitions.ts'
import { describeOutdated, findOutdatedPrices } from '../pricing/outdated-prices.ts'

export function presentSteps(acting: Acting, order: Order, workflow: Workflow) {
  const likely = likelyStep(workflow, order, acting.actor)
  const outdated = findOutdatedPrices(acting.server.db, order) !== undefined
  const steps = outgoingTransitions(workflow, order.status_id).map((transition) => {
    const step = describeStep(acting, workflow, transition, order)
    return { ...step, asks: step.asks || outdated, likely: transition === likely }
  })
  return {
    primary: steps.find((step) => step.likely),
    others: steps.filter((step) => step.allowed && !step.likely),
    refused: steps.filter((step) => !step.allowed),
  }
}

/**
 * The form of a step that was tried in vain, or that the query asks for.
 * @returns undefined where the order has moved on, or where this person may not take the step
 */
export function presentOpenStep(acting: Acting, order: Order, workflow: Workflow, query: URLSearchParams, attempt?: TransitionAttempt) {
  if (attempt) return attempt.status === 409 ? undefined : presentStepForm(acting, order, workflow, attempt)
  const id = parseId(query.get('transition_id'))
  const asked = outgoingTransitions(workflow, order.status_id).find((transition) => transition.id === id)
  return asked && mayPerform(asked, acting.actor, order) ? presentStepForm(acting, order, workflow, asked) : undefined
}

function presentStepForm(acting: Acting, order: Order, workflow: Workflow, step: Transition | TransitionAttempt) {
  const rejected = 'entry' in step
  const transition = rejected ? step.transition : step
  const { entry, problem } = rejected ? step : {}
  const form = presentTransitionForm(acting, order, transition, entry)
  const { id, name, to, final, missing, unmet } = describeStep(acting, workflow, transition, order)
  const asked = ({ id, error }: { id: string; error?: string }) =>
    missing.some((field) => field === id) || ['amount', 'date', 'note', 'prices', 'exceed_reason'].includes(id) || Boolean(error)
  const groups = form.groups.map(({ title, fields }) => ({ title, fields: fields.filter(asked) })).filter(({ fields }) => fields.length > 0)
  const [first] = groups.flatMap(({ fields }) => fields)
  if (first && 'focus' in first && !final && form.errors === 0) first.focus = true
  if (final) for (const field of groups.flatMap(({ fields }) => fields)) if (field.id === 'note') field.label = acting.t('Reason')
  return {
    id,
    name,
    to,
    final,
    outdated: entry?.errors.prices ? undefined : describeQuestion(acting, order),
    problem: problem ? acting.t(problem.message, problem.params) : entry ? undefined : unmet.join('. '),
    lacksPrices: missing.includes('prices'),
    rejected: Object.keys(entry?.typed ?? {}).length > 0,
    form: { ...form, groups },
  }
}

/** What the step asks about prices before it has been tried. */
function describeQuestion(acting: Acting, order: Order): string | undefined {
  const outdated = seesPrices(acting.actor) && findOutdatedPrices(acting.server.db, order)
  if (!outdated) return undefined
  const { message, params } = describeOutdated(order, outdated)
  return acting.t(message, params)
}
