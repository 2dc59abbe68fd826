import type { FastifyRequest } from 'fastify'
import type { Transition, Workflow } from '../../core/transition.ts'
import type { StatusPolicyKey } from '../../core/workflow.ts'
import { effectsOf } from '../../core/workflow-effects.ts'
import { findFaults } from '../../core/workflow-faults.ts'
import type { Preview } from '../../web/card/card.ts'
import type { Values } from '../../web/form/form.ts'
import { tellEffects } from './effects.ts'
import { viewFault } from './faults.ts'
import { loadWorkflow, ordersByStatus } from './load.ts'
import { loadStaffing } from './staffing.ts'

type Saved = Omit<Transition, 'id' | 'parent_status_id'> & { id?: number }

/** What saving other transitions from a status would change. */
export const transitionsPreview: Preview<{ id: number }> = {
  tabs: ['transitions'],
  template: 'workflow/effects.njk',
  load: (request, { id }, values) => previewOf(request, (workflow) => withTransitions(workflow, id, values)),
}

/** What other policies of a status would change. */
export function previewPolicies(request: FastifyRequest, statusId: number, policies: ReadonlySet<StatusPolicyKey>) {
  return previewOf(request, ({ statuses, transitions }) => ({
    statuses: statuses.map((status) => (status.id === statusId ? { ...status, policies } : status)),
    transitions,
  }))
}

function withTransitions({ statuses, transitions }: Workflow, statusId: number, values: Values): Workflow {
  if (!values.transitions) return { statuses, transitions }
  // New rows have no id yet; any that no transition has will do.
  const rows = (values.transitions as Saved[]).map((row, at) => ({ ...row, id: row.id ?? -1 - at, parent_status_id: statusId }))
  return { statuses, transitions: [...transitions.filter((way) => way.parent_status_id !== statusId), ...rows] }
}

function previewOf({ server: { db }, t }: FastifyRequest, change: (workflow: Workflow) => Workflow) {
  const before = loadWorkflow(db)
  const after = change(before)
  const staffing = loadStaffing(db)
  const known = new Set(findFaults(before, staffing).map((fault) => JSON.stringify(fault)))
  const faults = findFaults(after, staffing).filter((fault) => !known.has(JSON.stringify(fault)))
  return {
    effects: tellEffects(effectsOf(before, after, ordersByStatus(db)), after, t),
    faults: faults.map((fault) => viewFault(fault, after, t).words),
  }
}
