import type { Performer } from './access.ts'
import { isFinal, mayPerform, type OrderOwners, onwardTransitions, type Transition, type Workflow } from './transition-rules.ts'

type OrderOnItsWay = OrderOwners & { status_id: number | null; delivery: string | null }

/** The onward transitions that fit how the order is delivered: those that ask for an address are for orders that are sent. */
export function fittingTransitions(
  workflow: Workflow,
  { status_id, delivery }: Pick<OrderOnItsWay, 'status_id' | 'delivery'>,
): Transition[] {
  const onward = onwardTransitions(workflow, status_id)
  const isSent = delivery !== 'pickup'
  const fitting = onward.filter(({ required_fields }) => required_fields.includes('address') === isSent)
  return delivery === null || fitting.length === 0 ? onward : fitting
}

/** Whether it leads where orders that are delivered in this way go. */
export function fitsDelivery(workflow: Workflow, { id }: Transition, order: Pick<OrderOnItsWay, 'status_id' | 'delivery'>): boolean {
  const isThis = (other: Transition) => other.id === id
  return fittingTransitions(workflow, order).some(isThis) || !onwardTransitions(workflow, order.status_id).some(isThis)
}

/** The steps onward that somebody may take with an order, in the order of their statuses; of several that end it only the first. */
export function nextSteps(workflow: Workflow, order: OrderOnItsWay, actor: Performer): Transition[] {
  const steps = fittingTransitions(workflow, order).filter((transition) => mayPerform(transition, actor, order))
  return steps.filter(({ child_status_id }, index) => index === 0 || !isFinal(workflow, child_status_id))
}

/** The one step that what the order says leaves; none where nothing decides between several. */
export function likelyStep(workflow: Workflow, order: OrderOnItsWay, actor: Performer): Transition | undefined {
  const [step, ...others] = nextSteps(workflow, order, actor)
  return others.length === 0 ? step : undefined
}
