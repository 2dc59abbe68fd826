import { likelyStep } from '../../../core/likely-step.ts'
import { missingFields, outgoingTransitions, statusById, type Transition, type Workflow } from '../../../core/transition-rules.ts'
import type { Acting } from '../../../web/acting.ts'
import { presentForm } from '../../../web/form/view.ts'
import type { Order } from '../order.ts'
import { presentTransition, type TransitionAttempt, transitionForm, transitionFormPage } from '../present-transitions.ts'

export function presentSteps(acting: Acting, order: Order, workflow: Workflow) {
  const likely = likelyStep(workflow, order, acting.actor)
  const steps = outgoingTransitions(workflow, order.status_id).map((transition) => {
    const step = presentTransition(acting, order, workflow, transition)
    const asks = step.final || missingFields(transition, { ...order }).length > 0
    return { ...step, name: nameOf(acting, workflow, transition), asks, likely: transition === likely }
  })
  return {
    primary: steps.find((step) => step.likely),
    others: steps.filter((step) => step.allowed && !step.likely),
    refused: steps.filter((step) => !step.allowed),
  }
}

function nameOf({ t }: Acting, workflow: Workflow, { action_name, child_status_id }: Transition): string {
  return action_name || t('Move to {status}', { status: statusById(workflow, child_status_id)?.name })
}

export function presentStepForm(acting: Acting, order: Order, workflow: Workflow, step: Transition | TransitionAttempt) {
  const rejected = 'entry' in step
  const transition = rejected ? step.transition : step
  const entry = rejected ? step.entry : undefined
  const form = presentForm(transitionForm(transition), transitionFormPage(acting, order, transition), acting.t, entry)
  const missing: string[] = missingFields(transition, { ...order })
  const { to, final } = presentTransition(acting, order, workflow, transition)
  const asked = ({ id, error }: { id: string; error?: string }) => missing.includes(id) || id === 'note' || Boolean(error)
  const name = nameOf(acting, workflow, transition)
  const groups = form.groups.map(({ title, fields }) => ({ title: missing.length > 0 ? title : name, fields: fields.filter(asked) }))
  if (final) for (const field of groups.flatMap(({ fields }) => fields)) if (field.id === 'note') field.label = acting.t('Reason')
  return {
    id: transition.id,
    name,
    to,
    final,
    rejected: Object.keys(entry?.typed ?? {}).length > 0,
    form: { ...form, groups },
  }
}
