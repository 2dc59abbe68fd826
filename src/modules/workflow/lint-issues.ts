import type { Group } from '../../core/access.ts'
import { groupNamesInText, partyGroups } from '../../core/labels.ts'
import { requirableFields, type Workflow } from '../../core/transition-rules.ts'
import { finalStatusesOf, type LintIssue, lintWorkflow } from '../../core/workflow-lint.ts'
import type { Database } from '../../database/open.ts'
import type { Translate } from '../../i18n/translate.ts'
import { loadCoverage } from './coverage.ts'
import { formatFieldNames } from './format.ts'
import labels from './labels.json' with { type: 'json' }

const issueTitles: Record<LintIssue['kind'], string> = labels.issueTitles

export function presentLintIssues(db: Database, workflow: Workflow, t: Translate) {
  const issues = lintWorkflow(workflow, loadCoverage(db))
  const kinds = Object.keys(issueTitles) as LintIssue['kind'][]
  const groups = kinds.map((kind) => ({
    title: t(issueTitles[kind]),
    issues: issues.filter((issue) => issue.kind === kind).map((issue) => presentLintIssue(issue, workflow, t)),
  }))
  return {
    count: issues.length,
    groups: groups.filter((one) => one.issues.length > 0),
    ends: finalStatusesOf(workflow)
      .map(({ name }) => name)
      .join(', '),
    first: workflow.statuses[0]?.name,
  }
}

export function presentLintIssue(issue: LintIssue, workflow: Workflow, t: Translate) {
  const key = workflow.statuses.find(({ id }) => id === issue.status_id)?.status_key
  const tab = issue.kind === 'nobody_notified' ? 'notifications' : 'transitions'
  return { text: describeLintIssue(issue, workflow, t), href: `/status/edit/${key}?tab=${tab}` }
}

function describeLintIssue(issue: LintIssue, workflow: Workflow, t: Translate): string {
  const name = (id: number | undefined) => workflow.statuses.find((one) => one.id === id)?.name
  const status = name(issue.status_id)
  const transition = 'transition_id' in issue && workflow.transitions.find(({ id }) => id === issue.transition_id)
  return t(labels.issues[textNameOf(issue)], {
    status,
    first: workflow.statuses[0]?.name,
    transition: transition && `${status} → ${name(transition.child_status_id)}`,
    fields: 'fields' in issue && formatFieldNames(issue.fields, requirableFields, t),
    groups: concernedGroups(issue)
      .map((one) => t(groupNamesInText[one]))
      .join(', '),
  })
}

function textNameOf(issue: LintIssue): keyof typeof labels.issues {
  if (issue.kind === 'nobody_performs' && issue.left !== 'nobody') return 'only_administrators'
  return issue.kind === 'duplicate' && issue.alike ? 'alike' : issue.kind
}

function concernedGroups(issue: LintIssue): readonly Group[] {
  if (issue.kind === 'nobody_notified') return issue.parties.map((party) => partyGroups[party])
  return issue.kind === 'nobody_performs' ? issue.groups : []
}
