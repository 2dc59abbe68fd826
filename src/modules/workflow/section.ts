import type { FastifyRequest } from 'fastify'
import { performerNames } from '../../core/labels.ts'
import { forcibleFields, requirementsOf, type Transition, type Workflow } from '../../core/transition-rules.ts'
import { type Role, roleMayPerform, roleNames, roles } from '../../core/workflow-roles.ts'
import { queryOf } from '../../http/request/input.ts'
import { fragment, template } from '../../http/request/template.ts'
import type { Translate } from '../../i18n/translate.ts'
import { buildWorkflowDiagram, isCrowded } from './diagram.ts'
import { formatFieldNames, formatIssues, formatMakers, formatRequirements } from './format.ts'
import labels from './labels.json' with { type: 'json' }
import { viewOfLintIssues } from './lint-issues.ts'
import { loadWorkflow } from './load.ts'

const workflowPart = template<{ workflow: ReturnType<typeof viewOfWorkflow>; lint: ReturnType<typeof viewOfLintIssues> }>(
  'workflow/section.njk',
)

export const workflowSection = fragment(workflowPart, (request: FastifyRequest) => {
  const workflow = loadWorkflow(request.server.db, request.language)
  return {
    workflow: viewOfWorkflow(workflow, queryOf(request), request.t),
    lint: viewOfLintIssues(request.server.db, workflow, request.t),
  }
})

function viewOfWorkflow(workflow: Workflow, query: URLSearchParams, t: Translate) {
  const role = roleNames.find((name) => name === query.get('role'))
  return {
    diagram: buildWorkflowDiagram(workflow, t, role),
    letters: isCrowded(workflow) ? describeLetters(t) : [],
    transitions: viewOfTransitionTable(workflow, t, role),
    roles: [undefined, ...roleNames].map((name) => ({
      label: t(name ? roles[name].label : 'Everyone'),
      href: roleLink(query, name),
      current: name === role,
    })),
  }
}

function roleLink(query: URLSearchParams, role: Role | undefined): string {
  const wanted = new URLSearchParams(query)
  wanted.delete('role')
  if (role) wanted.set('role', role)
  return `?${wanted}#workflow`
}

function viewOfTransitionTable(workflow: Workflow, t: Translate, role?: Role) {
  const { statuses, transitions } = workflow
  const present = (transition: Transition) => ({
    to: statuses.find(({ id }) => id === transition.child_status_id),
    performers: formatMakers(transition, t),
    required: formatRequirements(requirementsOf(transition), t),
    forced: [formatFieldNames(transition.forced_fields, forcibleFields, t), formatIssues(transition, t)].filter(Boolean).join('; '),
  })
  const open = transitions.filter((transition) => !role || roleMayPerform(role, transition))
  return statuses.map((status) => ({
    status,
    transitions: open.filter(({ parent_status_id }) => parent_status_id === status.id).map(present),
  }))
}

function describeLetters(t: Translate): { letter: string; words: string }[] {
  return (['dealer_can', 'dealers_can', 'manager_can', 'managers_can', 'production_can', 'none'] as const).map((flag) => ({
    letter: t(labels.performerLetters[flag]),
    words: flag === 'none' ? t('administrators only') : t(performerNames[flag]),
  }))
}
