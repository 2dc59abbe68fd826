import { type Group, group } from './access.ts'
import { expectedIn } from './expected-actor.ts'
import { fieldsEditableBy } from './order-editable-fields.ts'
import { type ExpectedParty, flags, requirementsOf, type Status, statusById, type Workflow } from './transition-rules.ts'
import { type Role, roleMayPerform, roleNames } from './workflow-roles.ts'

export type Change = 'gains' | 'loses'

interface StatusPair {
  from: number
  to: number
}

export interface Effects {
  transitions: (StatusPair & { role: Role; change: Change })[]
  requirements: (StatusPair & { change: Change; fields: string[] })[]
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
    rights: after.statuses.flatMap((status) => rightsChanges(before, status)),
    turns: after.statuses.flatMap((status) => turnChanges(before, after, status, orders.get(status.id) ?? 0)),
    stuck: after.statuses.flatMap(({ id }) => findStuck(before, after, id, orders.get(id) ?? 0)),
  }
}

function statusPairsOf({ transitions }: Workflow, role?: Role): Set<string> {
  const open = transitions.filter((transition) => !role || roleMayPerform(role, transition))
  return new Set(open.map((pair) => `${pair.parent_status_id} ${pair.child_status_id}`))
}

function parsePair(pair: string): StatusPair {
  const [from = 0, to = 0] = pair.split(' ').map(Number)
  return { from, to }
}

function diffSets<T>(before: ReadonlySet<T>, after: ReadonlySet<T>): [Change, T[]][] {
  const changes = { gains: [...after].filter((one) => !before.has(one)), loses: [...before].filter((one) => !after.has(one)) }
  return (Object.entries(changes) as [Change, T[]][]).filter(([, all]) => all.length > 0)
}

function requirementChanges(before: Workflow, after: Workflow, pair: string): Effects['requirements'] {
  const changes = diffSets(commonRequiredFields(before, pair), commonRequiredFields(after, pair))
  return changes.map(([change, fields]) => ({ ...parsePair(pair), change, fields }))
}

function commonRequiredFields({ transitions }: Workflow, pair: string): Set<string> {
  const all = transitions.filter((one) => `${one.parent_status_id} ${one.child_status_id}` === pair).map(requirementsOf)
  return new Set(all[0]?.filter((field) => all.every((fields) => fields.includes(field))))
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

function whoCanMoveOn({ transitions }: Workflow, statusId: number): 'others' | 'administrators' | 'nobody' {
  const pairs = transitions.filter((pair) => pair.parent_status_id === statusId)
  if (pairs.some((pair) => flags.some((flag) => pair[flag]))) return 'others'
  return pairs.length > 0 ? 'administrators' : 'nobody'
}
