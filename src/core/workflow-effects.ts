import { type Group, group } from './access.ts'
import { fieldsOpenTo } from './order-rights.ts'
import { flags, type Status, type Workflow } from './transition.ts'
import { type Role, roleMay, roleNames } from './workflow-roles.ts'

export type Change = 'gains' | 'loses'

interface Way {
  from: number
  to: number
}

/** What another workflow would change for people and orders. */
export interface Effects {
  /** Ways that a role could or could no longer take. */
  ways: (Way & { role: Role; change: Change })[]
  /** Fields that a way would ask everybody for, or no longer. */
  demands: (Way & { change: Change; fields: string[] })[]
  /** What a group could do to orders in a status, or no longer: fields of an order, `items`, and `delete`. */
  rights: { group: Group; status_id: number; change: Change; rights: string[] }[]
  /** Statuses with orders that nobody, or only administrators, could move on any more. */
  stuck: { status_id: number; orders: number; left: 'administrators' | 'nobody' }[]
}

/** @param orders how many orders there are in each status */
export function effectsOf(before: Workflow, after: Workflow, orders: ReadonlyMap<number, number>): Effects {
  return {
    ways: roleNames.flatMap((role) =>
      changed(waysOf(before, role), waysOf(after, role)).flatMap(([change, ways]) => ways.map((way) => ({ role, change, ...parse(way) }))),
    ),
    demands: [...waysOf(before)].filter((way) => waysOf(after).has(way)).flatMap((way) => demandsOf(before, after, way)),
    rights: after.statuses.flatMap((status) => rightsOf(before, status)),
    stuck: after.statuses.flatMap(({ id }) => stuckIn(before, after, id, orders.get(id) ?? 0)),
  }
}

/** The ways of a workflow, or those of a role, however many transitions make each. */
function waysOf({ transitions }: Workflow, role?: Role): Set<string> {
  const open = transitions.filter((transition) => !role || roleMay(role, transition))
  return new Set(open.map((way) => `${way.parent_status_id} ${way.child_status_id}`))
}

function parse(way: string): Way {
  const [from = 0, to = 0] = way.split(' ').map(Number)
  return { from, to }
}

function changed<T>(before: ReadonlySet<T>, after: ReadonlySet<T>): [Change, T[]][] {
  const gained = [...after].filter((one) => !before.has(one))
  const lost = [...before].filter((one) => !after.has(one))
  const changes: [Change, T[]][] = [
    ['gains', gained],
    ['loses', lost],
  ]
  return changes.filter(([, all]) => all.length > 0)
}

function demandsOf(before: Workflow, after: Workflow, way: string): Effects['demands'] {
  return changed(demanded(before, way), demanded(after, way)).map(([change, fields]) => ({ ...parse(way), change, fields }))
}

/** Of several transitions between the same statuses the most lenient counts. */
function demanded({ transitions }: Workflow, way: string): Set<string> {
  const all = transitions.filter((one) => `${one.parent_status_id} ${one.child_status_id}` === way).map((one) => one.required_fields)
  return new Set(all[0]?.filter((field) => all.every((fields) => fields.includes(field))))
}

function rightsOf(before: Workflow, status: Status): Effects['rights'] {
  const old = before.statuses.find(({ id }) => id === status.id)
  return [group.dealer, group.manager, group.production].flatMap((one) =>
    changed(rightsIn(old, one), rightsIn(status, one)).map(([change, rights]) => ({ group: one, status_id: status.id, change, rights })),
  )
}

function rightsIn(status: Status | undefined, of: Group): Set<string> {
  const policies = status?.policies ?? new Set()
  const deletes = of === group.dealer && policies.has('order_dealer_can_delete')
  return new Set([...fieldsOpenTo(of, policies), ...(deletes ? ['delete'] : [])])
}

function stuckIn(before: Workflow, after: Workflow, status_id: number, orders: number): Effects['stuck'] {
  const [was, left] = [whoMovesOn(before, status_id), whoMovesOn(after, status_id)]
  const worse = left !== was && (left === 'nobody' || (left === 'administrators' && was === 'others'))
  return orders > 0 && worse ? [{ status_id, orders, left }] : []
}

function whoMovesOn({ transitions }: Workflow, statusId: number): 'others' | 'administrators' | 'nobody' {
  const ways = transitions.filter((way) => way.parent_status_id === statusId)
  if (ways.some((way) => flags.some((flag) => way[flag]))) return 'others'
  return ways.length > 0 ? 'administrators' : 'nobody'
}
