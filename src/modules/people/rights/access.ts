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

/** Who may open the rights of a kind of people, and who may change them (decisions, rights). */
export function rightsRules(kind: Kind, policy: PolicyKey): { view: Rule<PersonFacts>; edit: Rule<PersonFacts> } {
  const holder = anyOf<PersonFacts>(has(policy))
  return {
    view: all(kind.may.view, holder),
    edit: all(holding(kind.may.list), holder, sparingSuperadministrators, anyOf(superadministrator, everyone(ofOthers))),
  }
}

/** Taking a right away needs only the right to edit rights; nobody gives what they do not hold. */
export function maySet(actor: Actor, key: PolicyKey, value: boolean): boolean {
  return !value || checkAccess(actor, key)
}
