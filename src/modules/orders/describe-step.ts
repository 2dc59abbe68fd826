import { actionNameFor } from '../../core/default-workflow.ts'
import { performerNames } from '../../core/labels.ts'
import { nextSteps } from '../../core/likely-step.ts'
import {
  isFinal,
  mayPerform,
  missingFields,
  type OrderOwners,
  performers,
  type Requirable,
  requirableFields,
  statusById,
  type Transition,
  type Workflow,
} from '../../core/transition-rules.ts'
import type { Acting } from '../../web/acting.ts'
import { findCompany } from '../companies/company.ts'
import { findUnmetProblems, type Payable, unmetBy } from './describe-conditions.ts'
import { type Order, orderTitle } from './order.ts'

export type Step = ReturnType<typeof describeStep>

/**
 * What somebody is told of a transition, wherever they meet it: its name, where it leads, whether they may perform it, what the order
 * lacks for it, whether it asks before it is performed, and the reason why it cannot be performed just so.
 *
 * @param workflow in the language of the reader
 * @param allowed whether the transition may be performed, for somebody else than the reader
 */
export function describeStep(
  acting: Acting,
  workflow: Workflow,
  transition: Transition,
  order: OrderOwners & Payable & Requirable,
  allowed = mayPerform(transition, acting.actor, order),
) {
  const { t } = acting
  const to = statusById(workflow, transition.child_status_id)
  const final = isFinal(workflow, transition.child_status_id)
  const missing = allowed ? missingFields(transition, order) : []
  const lacks = missing.map((name) => t(requirableFields[name]))
  const unmet = allowed ? findUnmetProblems(acting, unmetBy(transition, order)).map(({ message, params }) => t(message, params)) : []
  const reasons = [...(lacks.length > 0 ? [t('Requires {fields}', { fields: lacks.join(', ') })] : []), ...unmet]
  return {
    id: transition.id,
    name: nameStep(acting, workflow, transition),
    from: statusById(workflow, transition.parent_status_id),
    to,
    final,
    allowed,
    missing,
    lacks,
    unmet,
    asks: final || reasons.length > 0,
    reason: allowed ? reasons.join('. ') : whyRefused(acting, transition),
  }
}

function nameStep({ t, language }: Acting, workflow: Workflow, { action_name, child_status_id }: Transition): string {
  if (action_name) return actionNameFor(language, action_name)
  return t('Move to {status}', { status: statusById(workflow, child_status_id)?.name })
}

/** What a dialog about one order says it is about: the order and whose it is. */
export function describeSubject({ server, t, language }: Acting, order: Order): string {
  const company = findCompany(server.db, order.owner_company_id ?? 0)?.org
  return [orderTitle(order, t, language), company].filter(Boolean).join(' · ')
}

export function whyRefused({ t, language }: Acting, transition: Transition): string {
  const who = [...performers(transition).map((flag) => t(performerNames[flag])), t('an administrator')]
  return t('Only {who} can do this.', { who: new Intl.ListFormat(language, { type: 'disjunction' }).format(who) })
}

/** What the reader may do next with an order, in the words of the buttons. */
export function nameSteps(acting: Acting, workflow: Workflow, order: Parameters<typeof nextSteps>[1]): string[] {
  return nextSteps(workflow, order, acting.actor).map((transition) => nameStep(acting, workflow, transition))
}
