import { group } from '../../core/access.ts'
import { type StatusPolicyKey, statusPolicyNames } from '../../core/default-workflow.ts'
import { documentKindLabels, expectedNames, groupNames } from '../../core/labels.ts'
import {
  type Expectation,
  forcibleFields,
  requirableFields,
  type Status,
  type Transition,
  type Workflow,
} from '../../core/transition-rules.ts'
import { type Change, type Effects, effectsOf } from '../../core/workflow-effects.ts'
import { lintWorkflow } from '../../core/workflow-lint.ts'
import { roleNames, roles } from '../../core/workflow-roles.ts'
import type { Context } from '../../http/request/context.ts'
import { formatCount } from '../../i18n/format.ts'
import type { Translate } from '../../i18n/translate.ts'
import { formatFieldNames, formatRequirements } from './format.ts'
import labels from './labels.json' with { type: 'json' }
import { loadCoverage, viewOfLintIssue } from './lint-issues.ts'
import { loadWorkflow, ordersByStatus } from './load.ts'

type TransitionInput = Omit<Transition, 'id' | 'parent_status_id'> & { id?: number }
type StatusInput = { transitions?: TransitionInput[]; expected?: Expectation | null }

export type WorkflowEffects = ReturnType<typeof previewChange>

export function previewStatus(context: Context, id: number, { transitions, expected }: StatusInput): WorkflowEffects {
  return previewChange(context, (workflow) => {
    const changed = expected ? withStatus(workflow, id, { expected }) : workflow
    return transitions ? withTransitions(changed, id, transitions) : changed
  })
}

export interface PolicyPreview extends Partial<ReturnType<typeof previewPolicies>> {
  selection: { back: string | null; policies: ReadonlySet<StatusPolicyKey>; requested?: true }
}

export function viewOfPolicyPreview(context: Context, statusId: number, query: URLSearchParams): PolicyPreview {
  const back = query.get('back')
  if (!query.has('_preview')) {
    const status = loadWorkflow(context.server.db).statuses.find(({ id }) => id === statusId)
    return { selection: { back, policies: status?.policies ?? new Set() } }
  }
  const policies = new Set(query.getAll('policy').filter((key): key is StatusPolicyKey => Object.hasOwn(statusPolicyNames, key)))
  return { selection: { back, policies, requested: true }, ...previewPolicies(context, statusId, policies) }
}

function previewPolicies(context: Context, statusId: number, policies: ReadonlySet<StatusPolicyKey>) {
  return previewChange(context, (workflow) => withStatus(workflow, statusId, { policies }))
}

function withStatus({ statuses, transitions }: Workflow, id: number, change: Partial<Pick<Status, 'expected' | 'policies'>>): Workflow {
  return { statuses: statuses.map((status) => (status.id === id ? { ...status, ...change } : status)), transitions }
}

function withTransitions({ statuses, transitions }: Workflow, statusId: number, changed: TransitionInput[]): Workflow {
  // New rows have no id yet; negative ones cannot collide.
  const rows = changed.map((row, at) => ({ ...row, id: row.id ?? -1 - at, parent_status_id: statusId }))
  return { statuses, transitions: [...transitions.filter(({ parent_status_id }) => parent_status_id !== statusId), ...rows] }
}

function previewChange({ server: { db }, t, language }: Context, change: (workflow: Workflow) => Workflow) {
  const before = loadWorkflow(db, language)
  const after = change(before)
  const coverage = loadCoverage(db)
  const known = new Set(lintWorkflow(before, coverage).map((issue) => JSON.stringify(issue)))
  const issues = lintWorkflow(after, coverage).filter((issue) => !known.has(JSON.stringify(issue)))
  return {
    effects: viewOfEffects(effectsOf(before, after, ordersByStatus(db)), after, t),
    issues: issues.map((issue) => viewOfLintIssue(issue, after, t).text),
  }
}

const rightNames: Record<string, string> = { ...forcibleFields, ...requirableFields, ...labels.otherRights }

const editingGroups = [group.dealer, group.manager, group.production] as const

function viewOfEffects(effects: Effects, { statuses }: Workflow, t: Translate) {
  const name = (id: number) => statuses.find((status) => status.id === id)?.name
  const label = ({ from, to }: { from: number; to: number }) => `${name(from)} → ${name(to)}`
  const transitions = roleNames.map((role) => {
    const changed = effects.transitions.filter((one) => one.role === role)
    return { who: t(roles[role].label), ...groupByChange(changed, label) }
  })
  const rights = statuses.flatMap(({ id, name }) =>
    editingGroups.map((one) => ({
      who: t('{group} in {status}', { group: t(groupNames[one]), status: name }),
      ...groupByChange(
        effects.rights.filter((right) => right.group === one && right.status_id === id),
        (right) => formatFieldNames(right.rights, rightNames, t),
      ),
    })),
  )
  return {
    changes: [...transitions, ...rights].filter(({ gains, loses }) => gains.length + loses.length > 0),
    requirements: effects.requirements.map((one) =>
      t(labels.requirementChanges[one.change], { transition: label(one), fields: formatRequirements(one.fields, t) }),
    ),
    issues: effects.issues.map((one) =>
      t(labels.issuingChanges[one.change], { transition: label(one), documents: formatFieldNames(one.kinds, documentKindLabels, t) }),
    ),
    marks: effects.marks.map((one) => t(labels.markChanges[one.change], { transition: label(one) })),
    turns: effects.turns.map(({ status_id, orders, before, after }) =>
      t('Expected to act in {status}: {after}; until now: {before}. Orders: {orders}', {
        status: name(status_id),
        before: t(expectedNames[before ?? 'nobody']),
        after: t(expectedNames[after ?? 'nobody']),
        orders: formatCount(orders),
      }),
    ),
    stuck: effects.stuck.map(({ status_id, orders, left }) => t(labels.stuckOrders[left], { status: name(status_id), count: orders })),
  }
}

function groupByChange<T extends { change: Change }>(all: readonly T[], words: (one: T) => string | undefined) {
  const of = (change: Change) => all.filter((one) => one.change === change).map(words)
  return { gains: of('gains'), loses: of('loses') }
}
