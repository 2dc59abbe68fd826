import { type Group, group } from '../../core/access.ts'
import { groupNamesInText, partyGroups } from '../../core/labels.ts'
import { proposeMade } from '../../core/made.ts'
import type { PolicyKey } from '../../core/policies.ts'
import { type Party, parties, requirableFields, type Status, statusById, type Workflow } from '../../core/transition-rules.ts'
import { paidTransition } from '../../core/when-paid.ts'
import { type Coverage, finalStatusesOf, type LintIssue, lintWorkflow } from '../../core/workflow-lint.ts'
import { type Database, prepareOnce } from '../../database/index.ts'
import type { Translate } from '../../i18n/translate.ts'
import { formatFieldNames } from './format.ts'
import labels from './labels.json' with { type: 'json' }

const issueTitles: Record<LintIssue['kind'], string> = labels.issueTitles

export function viewOfLintIssues(db: Database, workflow: Workflow, t: Translate) {
  const { missing, ...coverage } = loadCoverage(db)
  const issues = lintWorkflow(workflow, coverage)
  const kinds = Object.keys(issueTitles) as LintIssue['kind'][]
  const groups = kinds.map((kind) => ({
    title: t(issueTitles[kind]),
    issues: issues.filter((issue) => issue.kind === kind).map((issue) => viewOfLintIssue(issue, workflow, t)),
  }))
  return {
    count: issues.length,
    groups: groups.filter((one) => one.issues.length > 0),
    missing: missing.map((one) => ({ label: t(missingLabels[one].label), href: missingLabels[one].href })),
    ends: finalStatusesOf(workflow)
      .map(({ name }) => name)
      .join(', '),
    first: workflow.statuses[0]?.name,
    paid: describeMarks(workflow, t),
    proposal: viewOfProposal(workflow),
  }
}

/** Groups of which there may be nobody yet. */
const joining = [group.dealer, group.manager, group.production] as const

const missingLabels: Record<(typeof joining)[number], { label: string; href: string }> = {
  [group.dealer]: { label: 'Dealers', href: '/dealers' },
  [group.manager]: { label: 'Managers of companies', href: '/companies' },
  [group.production]: { label: 'Production', href: '/productions' },
}

function viewOfProposal(workflow: Workflow) {
  const proposal = proposeMade(workflow)
  const ends = proposal?.onward.map(({ child_status_id }) => statusById(workflow, child_status_id)?.name)
  return proposal && { action: '/statuses/made', production: proposal.production.name, ends: ends?.join(', ') }
}

/** What becomes of orders that are paid. */
function describeMarks(workflow: Workflow, t: Translate): string {
  const marked = workflow.statuses.flatMap(({ id, name }) => {
    const transition = paidTransition(workflow, id)
    return transition ? `${name} → ${statusById(workflow, transition.child_status_id)?.name}` : []
  })
  if (marked.length === 0) return t('No transition is made by itself once an order is paid: its manager is told.')
  return t('Once an order is paid, it moves on by itself: {transitions}.', { transitions: marked.join(', ') })
}

export function viewOfLintIssue(issue: LintIssue, workflow: Workflow, t: Translate) {
  const key = statusById(workflow, issue.status_id)?.status_key
  const before = issue.kind === 'nothing_allowed' ? statusBefore(workflow, issue.status_id) : undefined
  return {
    text: describeLintIssue(issue, workflow, t),
    href: `/status/edit/${key}?tab=${tabs[issue.kind] ?? 'transitions'}`,
    copy: before && { action: `/status/edit/${key}/policies`, from: before.id, name: before.name },
  }
}

const tabs: Partial<Record<LintIssue['kind'], string>> = { nobody_notified: 'notifications', nothing_allowed: 'policies' }

/** The nearest status before it in which somebody may do something. */
function statusBefore({ statuses }: Workflow, id: number): Status | undefined {
  const at = statuses.findIndex((status) => status.id === id)
  return statuses.slice(0, at).findLast(({ policies }) => policies.size > 0)
}

function describeLintIssue(issue: LintIssue, workflow: Workflow, t: Translate): string {
  const name = (id: number | undefined) => statusById(workflow, id)?.name
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
  if (issue.kind === 'idle_mark' && issue.canceled) return 'idle_canceled'
  return issue.kind === 'duplicate' && issue.alike ? 'alike' : issue.kind
}

function concernedGroups(issue: LintIssue): readonly Group[] {
  if (issue.kind === 'nobody_notified') return issue.parties.map((party) => partyGroups[party])
  return 'groups' in issue ? issue.groups : []
}

export function loadCoverage(db: Database): Coverage & { missing: (typeof joining)[number][] } {
  const coverage = coverageQuery(db).get() as Record<string, number>
  // That a group has nobody yet is no fault of the workflow: it is said once.
  const covered = (name: string, of: Group) => coverage[name] === 1 || coverage[`there_${of}`] === 0
  return {
    context: new Set(Object.values(group).filter((one): one is Group => covered(`acting_${one}`, one))),
    notified: new Set(parties.filter((party): party is Party => covered(`notified_${party}`, partyGroups[party]))),
    confirming: coverage.confirming === 1,
    missing: joining.filter((one) => coverage[`there_${one}`] === 0),
  }
}

const holds = (policy: PolicyKey) => `(superadmin or exists (select 1 from user_policies held join policies on policies.id = held.policy_id
  where held.user_id = users.id and held.value and policies.key = '${policy}'))`

const seesAll = holds('order_can_view')

const someoneActive = (condition: string) => `exists (select 1 from users where active and ${condition})`
const activeSupervisor = (of: string) => `exists (select 1 from ${of} join users on users.id = of.manager_id where users.active)`

const there = (of: Group) => `exists (select 1 from users where group_id = ${of})`

const conditions = {
  there_2: there(2),
  // Who looks after no company yet is told by none.
  there_3: 'exists (select 1 from companies where manager_id is not null) or exists (select 1 from users where manager_id is not null)',
  there_4: there(4),
  acting_1: someoneActive(`group_id = 1 and ${seesAll}`),
  acting_2: someoneActive('group_id = 2 and company_id is not null'),
  acting_3: someoneActive(`group_id = 3 and (exists (select 1 from companies where manager_id = users.id) or ${seesAll})`),
  acting_4: someoneActive(`group_id = 4 and (stock_id is not null or manufacture_id is not null or ${seesAll})`),
  // Companies first: there are far fewer of them than users, who are checked only when no company has a manager.
  notified_manager: `${activeSupervisor('companies of')} or ${activeSupervisor('users of')}`,
  notified_admin: someoneActive('group_id = 1'),
  notified_dealer: someoneActive('group_id = 2'),
  confirming: someoneActive(holds('payment_can_confirm')),
  notified_make: someoneActive('group_id = 4 and manufacture_id is not null'),
}

const coverageQuery = prepareOnce((db) => {
  const columns = Object.entries(conditions).map(([name, condition]) => `(${condition}) as ${name}`)
  return db.$client.prepare(`select ${columns.join(', ')}`)
})
