import type { FastifyRequest } from 'fastify'
import { forcibleFields, requirableFields, type Transition, type Workflow } from '../../core/transition.ts'
import { type Role, roleMay, roleNames, roles } from '../../core/workflow-roles.ts'
import type { Translate } from '../../web/i18n/translate.ts'
import { queryOf } from '../../web/list/state.ts'
import { drawWorkflow, isCrowded } from './drawing.ts'
import { viewFaults } from './faults.ts'
import { loadWorkflow } from './load.ts'
import { fieldsInWords, lettersExplained, walkersInWords } from './words.ts'

/** What the list of statuses shows below itself: what is wrong with the workflow, and the workflow drawn and told. */
export const workflowBelow = {
  template: 'workflow/page.njk',
  load: (request: FastifyRequest) => {
    const workflow = loadWorkflow(request.server.db)
    return { workflow: viewWorkflow(request, workflow), faults: viewFaults(request.server.db, workflow, request.t) }
  },
}

/** The whole, or what of it a role can walk. */
function viewWorkflow(request: FastifyRequest, workflow: Workflow) {
  const { t } = request
  const query = queryOf(request)
  const role = roleNames.find((name) => name === query.get('role'))
  return {
    empty: workflow.statuses.length === 0,
    drawing: drawWorkflow(workflow, t, role),
    letters: isCrowded(workflow.transitions) ? lettersExplained(t) : [],
    ways: tellWays(workflow, t, role),
    roles: [undefined, ...roleNames].map((name) => ({
      label: t(name ? roles[name].label : 'Everybody'),
      href: addressFor(query, name),
      current: name === role,
    })),
  }
}

function addressFor(query: URLSearchParams, role: Role | undefined): string {
  const wanted = new URLSearchParams(query)
  wanted.delete('role')
  if (role) wanted.set('role', role)
  return `?${wanted}#workflow`
}

/** What the arrows say and what they leave out, for those who read rather than look. */
function tellWays({ statuses, transitions }: Workflow, t: Translate, role?: Role) {
  const tell = (way: Transition) => ({
    to: statuses.find(({ id }) => id === way.child_status_id),
    walkers: walkersInWords(way, t),
    required: fieldsInWords(way.required_fields, requirableFields, t),
    forced: fieldsInWords(way.forced_fields, forcibleFields, t),
  })
  const open = transitions.filter((way) => !role || roleMay(role, way))
  return statuses.map((status) => ({ status, ways: open.filter((way) => way.parent_status_id === status.id).map(tell) }))
}
