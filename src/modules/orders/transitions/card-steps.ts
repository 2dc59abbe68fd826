import { allows } from '../../../core/access.ts'
import type { StepFacts } from '../../../core/plan-transition.ts'
import { outgoingTransitions, statusById } from '../../../core/transition-rules.ts'
import type { Context } from '../../../http/request/context.ts'
import { loadWorkflow } from '../../workflow/load.ts'
import { viewOfPath } from '../../workflow/order-path.ts'
import { orderAccess } from '../access.ts'
import type { Order } from '../order.ts'
import { describeStep } from './describe-step.ts'
import { historyOf, isValid, pathOf } from './history.ts'
import { stepFacts } from './step-facts.ts'
import { type TransitionAttempt, viewOfConflict, viewOfStepForm } from './step-form.ts'

/** The steps of an order as its card shows them, or what is wrong with the one that was tried. */
export function viewOfCardSteps(context: Context, order: Order, attempt?: TransitionAttempt) {
  const { t, server, actor } = context
  const workflow = loadWorkflow(server.db, context.language)
  const facts = stepFacts(context, order, workflow)
  return {
    status: statusById(workflow, order.status_id),
    since: historyOf(server.db).all({ order: order.id }).find(isValid)?.entry.at,
    transitions: outgoingTransitions(workflow, order.status_id).map((transition) => describeStep(context, order, transition, facts)),
    path: order.status_id === null ? undefined : viewOfPath(workflow, pathOf(context, order, workflow), t),
    assignableStatuses: allows(orderAccess.assignStatus, actor, order) ? workflow.statuses : undefined,
    conflict: attempt?.status === 409 ? viewOfConflict(context, order, attempt) : undefined,
    attempt: attempt && attempt.status !== 409 ? viewOfAttempt(context, order, attempt, facts) : undefined,
    once: crypto.randomUUID(),
  }
}

function viewOfAttempt(context: Context, order: Order, attempt: TransitionAttempt, facts: StepFacts) {
  const { transition, entry, problem } = attempt
  return {
    problem: problem && context.t(problem.message, problem.params),
    transition: transition.id,
    to: statusById(facts.workflow, transition.child_status_id),
    unanswered: Object.keys(entry.typed).length === 0,
    form: viewOfStepForm(context, order, attempt, facts),
  }
}
