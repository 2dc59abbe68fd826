import type { Actor } from '../../core/access.ts'
import { nextSteps } from '../../core/likely-step.ts'
import { type OrderOwners, statusById, type Workflow } from '../../core/transition-rules.ts'

/** What somebody may do next with an order, in the words of the buttons. */
export function nameSteps(
  workflow: Workflow,
  order: OrderOwners & { status_id: number | null; delivery: string | null },
  actor: Actor,
): string[] {
  const steps = nextSteps(workflow, order, actor)
  return steps.map((step) => step.action_name || (statusById(workflow, step.child_status_id)?.name ?? ''))
}
