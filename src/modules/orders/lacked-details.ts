import type { Workflow } from '../../core/transition-rules.ts'
import { openStatuses } from './waiting.ts'

const details = ['receiver', 'phone', 'delivery', 'address'] as const
type Detail = (typeof details)[number]

type Detailed = { status_id: number | null } & Record<Detail, string | null>

/** What of its delivery an order in progress does not say although a step of the workflow requires it. */
export function lackedDetailsIn(workflow: Workflow) {
  const required = details.filter((name) => workflow.transitions.some(({ required_fields }) => required_fields.includes(name)))
  const open = new Set(openStatuses(workflow))
  return (order: Detailed): Detail[] => {
    if (!open.has(order.status_id ?? 0)) return []
    return required.filter((name) => !order[name] && !(name === 'address' && order.delivery === 'pickup'))
  }
}
