import { type Group, group } from './access.ts'
import labels from './labels.json' with { type: 'json' }
import type { Flag, Party } from './transition-rules.ts'

export const groupNames: Record<Group, string> = labels.groups

/** What one person of a group is. */
export const groupMemberNames: Record<Group, string> = labels.groupMembers

export const groupNamesInText: Record<Group, string> = labels.groupsInText

export const performerLabels: Record<Flag, string> = labels.performers

export const performerNames: Record<Flag, string> = labels.performersInText

export const partyLabels: Record<Party, string> = {
  manager: performerLabels.manager_can,
  admin: groupNames[group.administrator],
  dealer: performerLabels.dealer_can,
  make: groupNames[group.production],
}

export const partyGroups: Record<Party, Group> = {
  manager: group.manager,
  admin: group.administrator,
  dealer: group.dealer,
  make: group.production,
}

export const securityEventLabels = labels.securityEvents

export type SecurityEventName = keyof typeof securityEventLabels
