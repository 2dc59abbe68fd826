import { group } from './access.ts'
import { groupNames, performerLabels } from './labels.ts'
import { mayPerform, type Transition } from './transition-rules.ts'

export const roles = {
  dealer: { group_id: group.dealer, own: true, label: performerLabels.dealer_can },
  dealers: { group_id: group.dealer, own: false, label: 'Any other dealer' },
  manager: { group_id: group.manager, own: true, label: performerLabels.manager_can },
  managers: { group_id: group.manager, own: false, label: 'Any other manager' },
  production: { group_id: group.production, own: true, label: groupNames[group.production] },
  administrator: { group_id: group.administrator, own: false, label: groupNames[group.administrator] },
} as const satisfies Record<string, { group_id: number; own: boolean; label: string }>
export type Role = keyof typeof roles

export const roleNames = Object.keys(roles) as Role[]

/** Somebody in a role, and how they stand to an order. */
export function standIn(role: Role) {
  const { group_id, own } = roles[role]
  const owner = own ? 1 : 2
  return { performer: { id: 1, group_id, managers: [1], reading: [] }, owners: { dealer_id: owner, owner_manager_id: owner } }
}

export function roleMayPerform(role: Role, transition: Transition): boolean {
  const { performer, owners } = standIn(role)
  return mayPerform(transition, performer, owners)
}
