import { allows } from '../../../core/access.ts'
import type { StepFacts } from '../../../core/plan-transition.ts'
import { outgoingTransitions, statusById } from '../../../core/transition-rules.ts'
import type { Context } from '../../../http/request/context.ts'
import { orderAccess } from '../access.ts'
import type { Order } from '../order.ts'
import { unconfirmedSum } from '../payments/amounts.ts'
import { describeStep, nameStep } from './describe-step.ts'
import { historyOf, isInForce } from './history.ts'
import { stepFacts } from './step-facts.ts'
import { type TransitionAttempt, viewOfConflict, viewOfStepForm } from './step-form.ts'

/** The steps of an order as its card shows them, or what is wrong with the one that was tried. */
export function viewOfCardSteps(context: Context, order: Order, attempt?: TransitionAttempt) {
  const { server, actor } = context
  const facts = stepFacts(context, order, context.language)
  const { workflow } = facts
  return {
    status: statusById(workflow, order.status_id),
    since: historyOf(server.db).all({ order: order.id }).find(isInForce)?.step.at,
    transitions: outgoingTransitions(workflow, order.status_id).map((transition) => describeStep(context, order, transition, facts)),
    assignableStatuses: allows(orderAccess.assignStatus, actor, order) ? workflow.statuses : undefined,
    conflict: attempt?.status === 409 ? viewOfConflict(context, order, attempt) : undefined,
    attempt: attempt && attempt.status !== 409 ? viewOfAttempt(context, order, attempt, facts) : undefined,
    once: crypto.randomUUID(),
  }
}

function viewOfAttempt(context: Context, order: Order, attempt: TransitionAttempt, facts: StepFacts) {
  const { transition, entry, problem } = attempt
  return {
    problem: problem && context.t(problem),
    transition: transition.id,
    name: nameStep(context, facts.workflow, transition),
    to: statusById(facts.workflow, transition.child_status_id),
    unconfirmed: unconfirmedSum(context, order.id),
    unanswered: Object.keys(entry.typed).length === 0,
    form: viewOfStepForm(context, order, attempt, facts),
  }
}
