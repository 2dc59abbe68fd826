import { type Group, group } from '../../core/access.ts'
import { type Party, requirableFields, type Workflow } from '../../core/transition.ts'
import { finalStatusesOf, type LintIssue, lintWorkflow } from '../../core/workflow-lint.ts'
import type { Database } from '../../database/open.ts'
import type { Translate } from '../../i18n/translate.ts'
import { loadCoverage } from './coverage.ts'
import { formatFieldNames } from './format.ts'

const issueTitles: Record<LintIssue['kind'], string> = {
  unreachable: 'Statuses that no order can reach',
  circle: 'Statuses from which no order comes to an end',
  dead_end: 'Ends that do not look like ends',
  nobody_performs: 'Changes that nobody active is left to make',
  cannot_fill: 'Required fields that cannot be filled in beforehand',
  required_and_forced: 'Fields both required and set by the system',
  twice: 'The same change twice',
  nobody_told: 'Notifications with nobody to notify',
}

const groupNames: Record<Group, string> = {
  [group.administrator]: 'administrators',
  [group.dealer]: 'dealers',
  [group.manager]: 'managers',
  [group.production]: 'production users',
}

const partyNames: Record<Party, string> = { manager: 'managers', admin: 'administrators', dealer: 'dealers', make: 'production users' }

/** What is wrong or odd with a workflow as it would be, kind by kind, each with the tab of a card where it can be mended. */
export function presentLintIssues(db: Database, workflow: Workflow, t: Translate) {
  const faults = lintWorkflow(workflow, loadCoverage(db))
  const kinds = Object.keys(issueTitles) as LintIssue['kind'][]
  const groups = kinds.map((kind) => ({
    title: t(issueTitles[kind]),
    issues: faults.filter((fault) => fault.kind === kind).map((fault) => presentLintIssue(fault, workflow, t)),
  }))
  return {
    count: faults.length,
    groups: groups.filter((one) => one.issues.length > 0),
    ends: finalStatusesOf(workflow)
      .map(({ name }) => name)
      .join(', '),
    first: workflow.statuses[0]?.name,
  }
}

export function presentLintIssue(fault: LintIssue, workflow: Workflow, t: Translate) {
  const key = workflow.statuses.find(({ id }) => id === fault.status_id)?.status_key
  const tab = fault.kind === 'nobody_told' ? 'notifications' : 'transitions'
  return { text: describeLintIssue(fault, workflow, t), href: `/status/edit/${key}?tab=${tab}` }
}

function describeLintIssue(fault: LintIssue, workflow: Workflow, t: Translate): string {
  const name = (id: number | undefined) => workflow.statuses.find((one) => one.id === id)?.name
  const status = name(fault.status_id)
  const transition = 'transition_id' in fault && workflow.transitions.find(({ id }) => id === fault.transition_id)
  const way = transition && `${status} → ${name(transition.child_status_id)}`
  const groups = (named: readonly Group[]) => named.map((one) => t(groupNames[one])).join(', ')
  switch (fault.kind) {
    case 'unreachable':
      return t('{status}: no way leads there from {first}, where every order begins.', { status, first: workflow.statuses[0]?.name })
    case 'circle':
      return t('{status}: every way from there leads round in a circle.', { status })
    case 'dead_end':
      return t(
        '{status}: no way leads on, yet its policies let people go on changing orders there. A way is missing, or the policies are too many.',
        { status },
      )
    case 'nobody_performs':
      if (fault.left === 'nobody') return t('{way}: nobody active may make this change.', { way })
      return t('{way}: only administrators are left to make this change; there is nobody active among: {groups}.', {
        way,
        groups: groups(fault.groups),
      })
    case 'cannot_fill':
      return t(
        '{way} asks for: {fields}. Nobody who may make this change can fill that in earlier, on the order’s card: the policies of {status} do not let them. They are asked only in the moment of the change.',
        { way, status, fields: formatFieldNames(fault.fields, requirableFields, t) },
      )
    case 'required_and_forced':
      return t('{way}: {fields}. People must fill this in before the system would set it, so it only stands in the way.', {
        way,
        fields: formatFieldNames(fault.fields, requirableFields, t),
      })
    case 'twice':
      return t(
        fault.alike
          ? '{way}: people are offered the same button twice.'
          : '{way}: two rows with different rules, so the more lenient one counts for everybody whom it lets.',
        { way },
      )
    case 'nobody_told':
      return t('{status}: nobody active is there to be told among: {groups}.', {
        status,
        groups: fault.parties.map((party) => t(partyNames[party])).join(', '),
      })
  }
}
