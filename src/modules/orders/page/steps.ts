import type { FastifyRequest } from 'fastify'
import {
  isFinal,
  mayPerform,
  missingFields,
  onwardTransitions,
  type Status,
  type Transition,
  type Workflow,
} from '../../../core/transition-rules.ts'
import { presentForm } from '../../../web/form/view.ts'
import type { Order } from '../order.ts'
import {
  outgoingTransitions,
  presentAttempt,
  presentTransition,
  statusById,
  type TransitionAttempt,
  transitionForm,
  transitionFormPage,
} from '../present-transitions.ts'

export function presentSteps(request: FastifyRequest, order: Order, workflow: Workflow) {
  const likely = likelyTransition(request, order, workflow)
  const steps = outgoingTransitions(workflow, order).map((transition) => ({
    ...presentTransition(request, order, workflow, transition),
    name: nameOf(request, workflow, transition),
    asks: isFinal(workflow, transition.child_status_id) || missingFields(transition, { ...order }).length > 0,
    likely: transition === likely,
  }))
  return {
    primary: steps.find((step) => step.likely),
    others: steps.filter((step) => step.allowed && !step.likely),
    refused: steps.filter((step) => !step.allowed),
  }
}

function nameOf({ t }: FastifyRequest, workflow: Workflow, { action_name, child_status_id }: Transition): string {
  return action_name || t('Move to {status}', { status: statusById(workflow, child_status_id)?.name })
}

/** Of the onward transitions that the user may perform, the one that lacks the fewest fields. */
function likelyTransition({ actor }: FastifyRequest, order: Order, workflow: Workflow): Transition | undefined {
  const onward = onwardTransitions(workflow, order.status_id)
  const own = outgoingTransitions(workflow, order).filter(
    (transition) => onward.includes(transition) && mayPerform(transition, actor, order),
  )
  const lacking = (transition: Transition) => missingFields(transition, { ...order }).length
  return own.sort((a, b) => lacking(a) - lacking(b))[0]
}

export function presentStepForm(request: FastifyRequest, order: Order, workflow: Workflow, step: Transition | TransitionAttempt) {
  const rejected = 'entry' in step
  const transition = rejected ? step.transition : step
  const form = rejected
    ? presentAttempt(request, order, workflow, step).form
    : presentForm(transitionForm(transition), transitionFormPage(request, order, transition), request.t)
  const missing: string[] = missingFields(transition, { ...order })
  const final = isFinal(workflow, transition.child_status_id)
  const asked = ({ id, error }: { id: string; error?: string }) => missing.includes(id) || id === 'note' || Boolean(error)
  const name = nameOf(request, workflow, transition)
  const groups = form.groups.map(({ title, fields }) => ({ title: missing.length > 0 ? title : name, fields: fields.filter(asked) }))
  if (final) for (const field of groups.flatMap(({ fields }) => fields)) if (field.id === 'note') field.label = request.t('Reason')
  return {
    id: transition.id,
    name,
    to: statusById(workflow, transition.child_status_id),
    final,
    rejected: rejected && Object.keys(step.entry.typed).length > 0,
    form: { ...form, groups },
  }
}

interface Progress extends Pick<Status, 'id' | 'name' | 'color'> {
  state: 'done' | 'current' | 'next'
}

export function presentProgress(order: Order, visited: readonly (number | null)[], workflow: Workflow, next?: number): Progress[] {
  const done: number[] = []
  for (const id of [...visited, order.status_id]) {
    if (id === null || !statusById(workflow, id)) continue
    if (done.includes(id)) done.splice(done.indexOf(id))
    done.push(id)
  }
  const ahead = likelyWay(workflow, order.status_id, done, next)
  const states = [
    ...done.map((id) => [id, id === order.status_id ? 'current' : 'done'] as const),
    ...ahead.map((id) => [id, 'next'] as const),
  ]
  return states.flatMap(([id, state]) => {
    const status = statusById(workflow, id)
    return status ? [{ id, name: status.name, color: status.color, state }] : []
  })
}

function likelyWay(workflow: Workflow, from: number | null, passed: readonly number[], next?: number): number[] {
  const way: number[] = []
  const rank = new Map(workflow.statuses.map(({ id }, index) => [id, index]))
  for (let at = from; at !== null; ) {
    const options = onwardTransitions(workflow, at).map(({ child_status_id }) => child_status_id)
    options.sort((a, b) => (rank.get(a) ?? 0) - (rank.get(b) ?? 0))
    const onward: number | undefined =
      way.length === 0 && next !== undefined ? next : options.find((id) => !passed.includes(id) && !way.includes(id))
    if (onward === undefined) break
    way.push(onward)
    at = onward
  }
  return way
}
