import { group } from './access.ts'
import type { PolicyKey } from './policies.ts'

export function impersonationPolicy(groupId: number): PolicyKey {
  if (groupId === group.administrator) return 'admin_can_auth'
  if (groupId === group.dealer) return 'dealer_can_auth'
  return 'manager_can_auth'
}
