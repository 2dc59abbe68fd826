import { type Group, group } from './access.ts'
import { expectedIn } from './expected-actor.ts'
import { fieldsEditableBy } from './order-editable-fields.ts'
import { isCanceled } from './payments.ts'
import {
  type Flag,
  flags,
  isFinal,
  notifiedParties,
  onwardTransitions,
  type Party,
  requirableFields,
  requirementsOf,
  type Status,
  statusById,
  type Transition,
  type Workflow,
} from './transition-rules.ts'
import { paidTransition } from './when-paid.ts'

export interface Coverage {
  context: ReadonlySet<Group>
  notified: ReadonlySet<Party>
  /** Whether anybody may confirm payments. */
  confirming: boolean
}

export type LintIssue = { status_id: number } & (
  | { kind: 'unreachable' | 'dead_end' | 'cycle' | 'nothing_allowed' }
  | { kind: 'nobody_performs'; transition_id: number; groups: Group[]; left: 'administrators' | 'nobody' }
  | { kind: 'cannot_fill' | 'required_and_forced'; transition_id: number; fields: string[] }
  | { kind: 'nobody_confirms'; transition_id: number }
  /** It is marked to be made once an order is paid, and never is: another one is, or orders are called off there. */
  | { kind: 'idle_mark'; transition_id: number; canceled: boolean }
  | { kind: 'duplicate'; transition_id: number; alike: boolean }
  | { kind: 'nobody_expected'; groups: Group[] }
  | { kind: 'nobody_notified'; parties: Party[] }
)

export function lintWorkflow(workflow: Workflow, coverage: Coverage): LintIssue[] {
  const { statuses, transitions } = workflow
  const issues = [
    ...lintReachability(workflow),
    ...lintPermissions(workflow),
    ...transitions.flatMap((transition) => [
      ...lintPerformers(transition, coverage),
      ...lintRequiredFields(transition, workflow),
      ...lintForcedFields(transition),
      ...lintPayment(transition, coverage),
      ...lintMark(transition, workflow),
      ...lintDuplicates(transition, workflow),
    ]),
    ...statuses.flatMap((status) => [...lintExpected(status, workflow, coverage), ...lintNotifications(status, coverage)]),
  ]
  return statuses.flatMap(({ id }) => issues.filter((issue) => issue.status_id === id))
}

export function finalStatusesOf(workflow: Workflow): Status[] {
  const reached = reachedFromFirst(workflow)
  return workflow.statuses.filter(({ id }) => reached.has(id) && isFinal(workflow, id))
}

function reachedFromFirst({ statuses, transitions }: Workflow): Set<number> {
  const steps = transitions.map(({ parent_status_id, child_status_id }): Step => [parent_status_id, child_status_id])
  return reachableFrom(steps, statuses.slice(0, 1))
}

function lintReachability(workflow: Workflow): LintIssue[] {
  const back = workflow.transitions.map(({ parent_status_id, child_status_id }): Step => [child_status_id, parent_status_id])
  const ends = workflow.statuses.filter(({ id }) => isFinal(workflow, id))
  const reached = reachedFromFirst(workflow)
  const ending = reachableFrom(back, ends)
  return workflow.statuses.flatMap((status): LintIssue[] => {
    if (!reached.has(status.id)) return [{ kind: 'unreachable', status_id: status.id }]
    if (!ending.has(status.id)) return [{ kind: 'cycle', status_id: status.id }]
    return ends.includes(status) && status.policies.size > 0 ? [{ kind: 'dead_end', status_id: status.id }] : []
  })
}

/** Orders that have reached their end need nobody who edits them. */
function lintPermissions(workflow: Workflow): LintIssue[] {
  const ends = finalStatusesOf(workflow)
  const bare = workflow.statuses.filter((status) => status.policies.size === 0 && !ends.includes(status))
  return bare.map(({ id }) => ({ kind: 'nothing_allowed', status_id: id }))
}

type Step = [from: number, to: number]

function reachableFrom(steps: readonly Step[], starts: readonly Status[]): Set<number> {
  const reached = new Set(starts.map(({ id }) => id))
  for (const id of reached) for (const [from, to] of steps) if (from === id) reached.add(to)
  return reached
}

function lintPerformers(transition: Transition, { context }: Coverage): LintIssue[] {
  const groups = groupsOf(transition)
  const administrators = context.has(group.administrator)
  if (groups.length === 0 ? administrators : groups.some((one) => context.has(one))) return []
  return [{ kind: 'nobody_performs', ...locationOf(transition), groups, left: administrators ? 'administrators' : 'nobody' }]
}

/** The transition dialog asks for required fields too, but they should be editable before. Dealers report payments in every status. */
function lintRequiredFields(transition: Transition, { statuses, transitions }: Workflow): LintIssue[] {
  const groups = groupsOf(transition)
  const policies = statuses.find(({ id }) => id === transition.parent_status_id)?.policies ?? new Set()
  const open = new Set(groups.flatMap((one) => [...fieldsEditableBy(one, policies), ...(one === group.dealer ? ['payment_order'] : [])]))
  const incoming = transitions.filter((other) => other.child_status_id === transition.parent_status_id)
  const isSetBefore = (field: string) => incoming.length > 0 && incoming.every((other) => other.forced_fields.includes(field))
  const fields = transition.required_fields.filter(
    (field) =>
      Object.hasOwn(requirableFields, field) &&
      !open.has(field === 'prices' ? 'items' : field) &&
      !isSetBefore(field) &&
      !transition.issues?.includes(field),
  )
  return groups.length > 0 && fields.length > 0 ? [{ kind: 'cannot_fill', ...locationOf(transition), fields }] : []
}

function lintForcedFields(transition: Transition): LintIssue[] {
  const fields = transition.required_fields.filter((field) => transition.forced_fields.includes(field))
  return fields.length > 0 ? [{ kind: 'required_and_forced', ...locationOf(transition), fields }] : []
}

function lintPayment(transition: Transition, { confirming }: Coverage): LintIssue[] {
  const waits = transition.min_paid || transition.when_paid
  return waits && !confirming ? [{ kind: 'nobody_confirms', ...locationOf(transition) }] : []
}

function lintMark(transition: Transition, workflow: Workflow): LintIssue[] {
  if (!transition.when_paid || paidTransition(workflow, transition.parent_status_id) === transition) return []
  const ends = [transition.parent_status_id, transition.child_status_id]
  return [{ kind: 'idle_mark', ...locationOf(transition), canceled: ends.some((id) => isCanceled(statusById(workflow, id))) }]
}

function lintDuplicates(transition: Transition, { transitions }: Workflow): LintIssue[] {
  const earlier = transitions.slice(0, transitions.indexOf(transition)).filter((other) => connectsSameStatuses(other, transition))
  return earlier.length > 0
    ? [{ kind: 'duplicate', ...locationOf(transition), alike: earlier.every((other) => rulesOf(other) === rulesOf(transition)) }]
    : []
}

function connectsSameStatuses(one: Transition, other: Transition): boolean {
  return one.parent_status_id === other.parent_status_id && one.child_status_id === other.child_status_id
}

function rulesOf(transition: Transition): string {
  const [required, forced] = [requirementsOf(transition).toSorted(), transition.forced_fields.toSorted()]
  const issues = transition.issues?.toSorted() ?? []
  return JSON.stringify([flags.map((flag) => transition[flag]), required, forced, issues, Boolean(transition.when_paid)])
}

function lintExpected(status: Status, workflow: Workflow, { context }: Coverage): LintIssue[] {
  if (expectedIn(workflow, status)) return []
  const able = new Set(onwardTransitions(workflow, status.id).flatMap(groupsOf))
  const groups = Object.values(group).filter((one) => able.has(one) && context.has(one))
  return groups.length > 0 ? [{ kind: 'nobody_expected', status_id: status.id, groups }] : []
}

function lintNotifications(status: Status, { notified }: Coverage): LintIssue[] {
  const parties = notifiedParties(status).filter((party) => !notified.has(party))
  return parties.length > 0 ? [{ kind: 'nobody_notified', status_id: status.id, parties }] : []
}

const groupOfFlag: Record<Flag, Group> = {
  dealer_can: group.dealer,
  dealers_can: group.dealer,
  manager_can: group.manager,
  managers_can: group.manager,
  production_can: group.production,
  productions_can: group.production,
}

function groupsOf(transition: Transition): Group[] {
  return [...new Set(flags.filter((flag) => transition[flag]).map((flag) => groupOfFlag[flag]))]
}

function locationOf({ id, parent_status_id }: Transition) {
  return { status_id: parent_status_id, transition_id: id }
}
