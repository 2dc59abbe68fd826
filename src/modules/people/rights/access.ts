import {
  type Actor,
  all,
  anyOf,
  checkAccess,
  everyone,
  has,
  holding,
  type Ownership,
  type Rule,
  superadministrator,
} from '../../../core/access.ts'
import type { PolicyKey } from '../../../core/policies.ts'
import { isOneself, type PersonFacts, sparingSuperadministrators } from '../access.ts'
import type { Kind } from '../kind.ts'

const ofOthers: Ownership<PersonFacts> = {
  words: "other people's rights than your own",
  test: (actor, person) => !isOneself(actor, person),
}

/** Whose rights are changed, whatever their kind: no superadministrator's, and not one's own. */
export const sparingRights = all(sparingSuperadministrators, anyOf<PersonFacts>(superadministrator, everyone(ofOthers)))

/** Who may open the rights of a kind of people, and who may change them (decisions, rights). */
export function rightsRules(kind: Kind, policy: PolicyKey): { view: Rule<PersonFacts>; edit: Rule<PersonFacts> } {
  return { view: all(kind.may.view, anyOf(has(policy))), edit: all(rightsHolders(kind, policy), sparingRights) }
}

/** Who may change the rights of some of a kind. */
export function rightsHolders(kind: Kind, policy: PolicyKey): Rule<PersonFacts> {
  return all(holding(kind.may.list), anyOf<PersonFacts>(has(policy)))
}

/** Taking a right away needs only the right to edit rights; nobody gives what they do not hold. */
export function maySet(actor: Actor, key: PolicyKey, value: boolean): boolean {
  return !value || checkAccess(actor, key)
}
