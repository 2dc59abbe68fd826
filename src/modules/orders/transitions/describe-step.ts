import { actionNameFor } from '../../../core/default-workflow.ts'
import { documentKindLabels } from '../../../core/labels.ts'
import { isCanceled } from '../../../core/payments.ts'
import { findProblems, issuedBy, type PlannedOrder, type StepFacts } from '../../../core/plan-transition.ts'
import { isFinal, requirableFields, statusById, type Transition, type Workflow } from '../../../core/transition-rules.ts'
import type { Context } from '../../../http/request/context.ts'
import { findCompany } from '../../companies/company.ts'
import { type Order, orderTitle } from '../order.ts'
import { describeIncomplete, describeMissing, describeUnmet, missingDetails, missingIn, whyRefused } from './describe-problems.ts'

/**
 * What somebody is told of a transition, wherever they meet it: its name, where it leads, whether it may be performed, what the order
 * lacks for it, whether it calls the order off, whether it asks before it is performed, and the reason why it cannot be performed just so.
 *
 * @param facts with the workflow in the language of the reader
 */
export function describeStep(context: Context, order: PlannedOrder, transition: Transition, facts: StepFacts) {
  const { t } = context
  const { workflow } = facts
  const problems = findProblems(order, transition, {}, facts)
  const allowed = !problems.some(({ kind }) => kind === 'forbidden')
  const missing = missingIn(problems).map(({ field }) => field)
  const unmet = describeUnmet(problems, facts).map((problem) => t(problem))
  const incomplete = describeIncomplete(problems).map((problem) => t(problem))
  const lacking = missing.length > 0 ? [t(describeMissing(context, missing))] : []
  const final = isFinal(workflow, transition.child_status_id)
  return {
    id: transition.id,
    name: nameStep(context, workflow, transition),
    from: statusById(workflow, transition.parent_status_id),
    to: statusById(workflow, transition.child_status_id),
    final,
    cancels: isCanceled(statusById(workflow, transition.child_status_id)),
    allowed,
    problems,
    missing,
    lacks: missing.map((name) => t(requirableFields[name])),
    issues: issuedBy(order, transition, {}, facts).map((kind) => t(documentKindLabels[kind])),
    unmet,
    /** What its documents cannot do without. */
    details: missingDetails(problems),
    asks: final || problems.length > 0,
    reason: allowed ? [...lacking, ...incomplete, ...unmet].join('. ') : whyRefused(context, transition),
  }
}

/** A step in the words of its button, wherever it stands. */
export function nameStep({ t, language }: Context, workflow: Workflow, transition: Transition): string {
  const status = statusById(workflow, transition.child_status_id)?.name
  return actionNameFor(language, transition) || t('Move to {status}', { status })
}

/** What a dialog about one order says it is about: the order and whose it is. */
export function describeSubject({ server, t, language }: Context, order: Order): string {
  const company = findCompany(server.db, order.owner_company_id ?? 0)?.org
  return [orderTitle(order, t, language), company].filter(Boolean).join(' · ')
}
