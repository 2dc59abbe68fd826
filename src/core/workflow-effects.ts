import { type Group, group } from './access.ts'
import { expectedIn } from './expected-actor.ts'
import { fieldsEditableBy } from './order-editable-fields.ts'
import { findProblems, type StepProblem } from './plan-transition.ts'
import { type ExpectedParty, type Status, statusById, type Transition, type Workflow } from './transition-rules.ts'
import { paidTransition } from './when-paid.ts'
import { type Role, roleNames, standIn } from './workflow-roles.ts'

export type Change = 'gains' | 'loses'

interface StatusPair {
  from: number
  to: number
}

export interface Effects {
  transitions: (StatusPair & { role: Role; change: Change })[]
  requirements: (StatusPair & { change: Change; fields: string[] })[]
  /** Which transitions are made once an order is paid. */
  marks: (StatusPair & { change: Change })[]
  /** What transitions issue. */
  issues: (StatusPair & { change: Change; kinds: string[] })[]
  rights: { group: Group; status_id: number; change: Change; rights: string[] }[]
  turns: { status_id: number; orders: number; before?: ExpectedParty; after?: ExpectedParty }[]
  stuck: { status_id: number; orders: number; left: 'administrators' | 'nobody' }[]
}

export function effectsOf(before: Workflow, after: Workflow, orders: ReadonlyMap<number, number>): Effects {
  return {
    transitions: roleNames.flatMap((role) =>
      diffSets(statusPairsOf(before, role), statusPairsOf(after, role)).flatMap(([change, pairs]) =>
        pairs.map((pair) => ({ role, change, ...parsePair(pair) })),
      ),
    ),
    requirements: [...statusPairsOf(before)]
      .filter((pair) => statusPairsOf(after).has(pair))
      .flatMap((pair) => requirementChanges(before, after, pair)),
    marks: diffSets(markedPairsOf(before), markedPairsOf(after)).flatMap(([change, pairs]) =>
      pairs.map((pair) => ({ change, ...parsePair(pair) })),
    ),
    issues: [...statusPairsOf(before)]
      .filter((pair) => statusPairsOf(after).has(pair))
      .flatMap((pair) =>
        diffSets(issuedBetween(before, pair), issuedBetween(after, pair)).map(([change, kinds]) => ({ ...parsePair(pair), change, kinds })),
      ),
    rights: after.statuses.flatMap((status) => rightsChanges(before, status)),
    turns: after.statuses.flatMap((status) => turnChanges(before, after, status, orders.get(status.id) ?? 0)),
    stuck: after.statuses.flatMap(({ id }) => findStuck(before, after, id, orders.get(id) ?? 0)),
  }
}

function statusPairsOf(workflow: Workflow, role: Role = 'administrator'): Set<string> {
  const open = workflow.transitions.filter((transition) => isOpenTo(role, workflow, transition))
  return pairsOf(open)
}

function markedPairsOf(workflow: Workflow): Set<string> {
  return pairsOf(workflow.statuses.flatMap(({ id }) => paidTransition(workflow, id) ?? []))
}

const pairsOf = (transitions: readonly Transition[]) =>
  new Set(transitions.map((pair) => `${pair.parent_status_id} ${pair.child_status_id}`))

const isOpenTo = (role: Role, workflow: Workflow, transition: Transition) =>
  !problemsFor(role, workflow, transition).some(({ kind }) => kind === 'forbidden')

/** What the plan of a step says to somebody in a role about an order that has nothing yet: whether they may take it, and all that it requires. */
function problemsFor(role: Role, workflow: Workflow, transition: Transition): StepProblem[] {
  const { performer, owners } = standIn(role)
  const account = { charged: 0, paid: 0, balance: 0, credit_limit: 0 }
  const nothing = { cost: 1, account, due_since: null, lacksPrices: true, hasPayment: false }
  const rights = { unseen: [], seesPrices: true, mayKeepPrices: true, mayExceed: false }
  const facts = { workflow, performer, ...rights, today: '', nextSerial: () => '' }
  return findProblems({ ...nothing, ...owners, status_id: transition.parent_status_id }, transition, {}, facts)
}

function parsePair(pair: string): StatusPair {
  const [from = 0, to = 0] = pair.split(' ').map(Number)
  return { from, to }
}

function diffSets<T>(before: ReadonlySet<T>, after: ReadonlySet<T>): [Change, T[]][] {
  const changes = { gains: [...after].filter((one) => !before.has(one)), loses: [...before].filter((one) => !after.has(one)) }
  return (Object.entries(changes) as [Change, T[]][]).filter(([, all]) => all.length > 0)
}

const transitionsOf = ({ transitions }: Workflow, pair: string) =>
  transitions.filter((one) => `${one.parent_status_id} ${one.child_status_id}` === pair)

const issuedBetween = (workflow: Workflow, pair: string) => new Set(transitionsOf(workflow, pair).flatMap(({ issues = [] }) => issues))

function requirementChanges(before: Workflow, after: Workflow, pair: string): Effects['requirements'] {
  const changes = diffSets(commonRequirements(before, pair), commonRequirements(after, pair))
  return changes.map(([change, fields]) => ({ ...parsePair(pair), change, fields }))
}

/** What every one of the transitions between two statuses requires. */
function commonRequirements(workflow: Workflow, pair: string): Set<string> {
  const all = transitionsOf(workflow, pair).map((transition) => problemsFor('administrator', workflow, transition).map(nameRequirement))
  return new Set(all[0]?.filter((name) => all.every((names) => names.includes(name))))
}

function nameRequirement(problem: StepProblem): string {
  if (problem.kind === 'missing') return problem.field
  return problem.kind === 'min_paid' ? `min_paid ${problem.percent}` : problem.kind
}

function rightsChanges(before: Workflow, status: Status): Effects['rights'] {
  const old = statusById(before, status.id)
  return [group.dealer, group.manager, group.production].flatMap((one) =>
    diffSets(rightsIn(old, one), rightsIn(status, one)).map(([change, rights]) => ({ group: one, status_id: status.id, change, rights })),
  )
}

function rightsIn(status: Status | undefined, of: Group): Set<string> {
  const policies = status?.policies ?? new Set()
  const deletes = of === group.dealer && policies.has('order_dealer_can_delete')
  return new Set([...fieldsEditableBy(of, policies), ...(deletes ? ['delete'] : [])])
}

function turnChanges(before: Workflow, after: Workflow, status: Status, orders: number): Effects['turns'] {
  const old = statusById(before, status.id)
  const [was, is] = [old && expectedIn(before, old), expectedIn(after, status)]
  return was === is ? [] : [{ status_id: status.id, orders, before: was, after: is }]
}

function findStuck(before: Workflow, after: Workflow, status_id: number, orders: number): Effects['stuck'] {
  const [was, left] = [whoCanMoveOn(before, status_id), whoCanMoveOn(after, status_id)]
  const worse = left !== was && (left === 'nobody' || (left === 'administrators' && was === 'others'))
  return orders > 0 && worse ? [{ status_id, orders, left }] : []
}

function whoCanMoveOn(workflow: Workflow, statusId: number): 'others' | 'administrators' | 'nobody' {
  const outgoing = workflow.transitions.filter(({ parent_status_id }) => parent_status_id === statusId)
  const open = roleNames.filter((role) => outgoing.some((transition) => isOpenTo(role, workflow, transition)))
  if (open.length === 0) return 'nobody'
  return open.length > 1 ? 'others' : 'administrators'
}
