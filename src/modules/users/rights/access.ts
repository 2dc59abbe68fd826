import {
  type Actor,
  allOf,
  anyOf,
  checkAccess,
  everyone,
  has,
  ignoringScope,
  owned,
  type Rule,
  superadministrator,
} from '../../../core/access.ts'
import type { PolicyKey } from '../../../core/policies.ts'
import { exceptSuperadministrators, isSelf, type UserFacts, withoutImpersonation } from '../access.ts'
import type { UserType } from '../user-type.ts'

const otherUsers = owned<UserFacts>("other users' permissions", (actor, person) => !isSelf(actor, person))

export const exceptProtectedUsers = allOf(
  exceptSuperadministrators,
  anyOf<UserFacts>(superadministrator, everyone(otherUsers)),
  withoutImpersonation,
)

export function rightsRules(userType: UserType, policy: PolicyKey): { view: Rule<UserFacts>; edit: Rule<UserFacts> } {
  return { view: allOf(userType.may.view, anyOf(has(policy))), edit: allOf(rightsEditorRule(userType, policy), exceptProtectedUsers) }
}

export function rightsEditorRule(userType: UserType, policy: PolicyKey): Rule<UserFacts> {
  return allOf(ignoringScope(userType.may.list), anyOf<UserFacts>(has(policy)))
}

/** Revoking takes only the right to edit rights; granting takes holding the right too. */
export function maySetRight(actor: Actor, key: PolicyKey, value: boolean): boolean {
  return !value || checkAccess(actor, key)
}
