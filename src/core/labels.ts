import { type Group, group } from './access.ts'
import type { Flag, Party } from './transition-rules.ts'

export const groupNames: Record<Group, string> = {
  [group.administrator]: 'Administrators',
  [group.dealer]: 'Dealers',
  [group.manager]: 'Managers',
  [group.production]: 'Production',
}

export const groupNamesInText: Record<Group, string> = {
  [group.administrator]: 'administrators',
  [group.dealer]: 'dealers',
  [group.manager]: 'managers',
  [group.production]: 'production users',
}

export const performerLabels: Record<Flag, string> = {
  dealer_can: "Order's dealer",
  manager_can: "Company's manager",
  production_can: "Order's production team",
  dealers_can: 'Any dealer',
  managers_can: 'Any manager',
  productions_can: 'Any production user',
}

export const performerNames: Record<Flag, string> = {
  dealer_can: "the order's dealer",
  manager_can: "the company's manager",
  production_can: "the order's production team",
  dealers_can: 'any dealer',
  managers_can: 'any manager',
  productions_can: 'any production user',
}

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

export const securityEventLabels = {
  'signed-in': 'Signed in',
  refused: 'Sign-in failed',
  'locked-out': 'Sign-in blocked',
  'factor-used': 'Signed in with a code',
  'factor-changed': 'Two-step verification changed',
  'password-requested': 'Password reset requested',
  'password-changed': 'Password changed',
  'email-changed': 'Email changed',
  'impersonation-begun': 'Impersonation started',
  'impersonation-ended': 'Impersonation ended',
  'rights-changed': 'Permissions changed',
  'sessions-ended': 'Sessions ended',
  exported: 'Data exported',
  'access-refused': 'Access denied',
}

export type SecurityEventName = keyof typeof securityEventLabels
