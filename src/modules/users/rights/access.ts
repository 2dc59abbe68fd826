import {
  type Actor,
  allOf,
  anyOf,
  checkAccess,
  everyone,
  has,
  ignoringScope,
  type Ownership,
  type Rule,
  superadministrator,
} from '../../../core/access.ts'
import type { PolicyKey } from '../../../core/policies.ts'
import { exceptSuperadministrators, isSelf, type UserFacts, withoutImpersonation } from '../access.ts'
import type { UserType } from '../user-type.ts'

const otherUsers: Ownership<UserFacts> = {
  description: 'rights of other users',
  predicate: (actor, person) => !isSelf(actor, person),
}

/** Whose rights are changed, whatever their kind: no superadministrator's, not one's own, and none in another's name. */
export const exceptProtectedUsers = allOf(
  exceptSuperadministrators,
  anyOf<UserFacts>(superadministrator, everyone(otherUsers)),
  withoutImpersonation,
)

/** Who may open the rights of a kind of people, and who may change them (decisions, rights). */
export function rightsRules(userType: UserType, policy: PolicyKey): { view: Rule<UserFacts>; edit: Rule<UserFacts> } {
  return { view: allOf(userType.may.view, anyOf(has(policy))), edit: allOf(rightsEditorRule(userType, policy), exceptProtectedUsers) }
}

/** Who may change the rights of some of a kind. */
export function rightsEditorRule(userType: UserType, policy: PolicyKey): Rule<UserFacts> {
  return allOf(ignoringScope(userType.may.list), anyOf<UserFacts>(has(policy)))
}

/** Taking a right away needs only the right to edit rights; nobody gives what they do not hold. */
export function maySetRight(actor: Actor, key: PolicyKey, value: boolean): boolean {
  return !value || checkAccess(actor, key)
}
