import { type Actor, anyOf, checkAccess, everyone, type Ownership, superadministrator } from '../../core/access.ts'
import type { PolicyKey } from '../../core/policies.ts'

/** What the closed rules about people look at. */
export interface UserFacts {
  id: number
  superadmin: boolean
}

const notSuperadministrator: Ownership<UserFacts> = {
  description: 'users who are not superadministrators',
  predicate: (_, person) => !person.superadmin,
}

const notSelf: Ownership<UserFacts> = {
  description: 'users other than yourself',
  predicate: (actor, person) => !isSelf(actor, person),
}

const notImpersonating: Ownership<unknown> = {
  description: 'users who are not impersonating someone',
  predicate: (actor) => !actor.impersonator,
}

/** What nobody does in another's name. */
export const withoutImpersonation = anyOf<unknown>(everyone(notImpersonating))

/** Only a superadministrator touches a superadministrator. */
export const exceptSuperadministrators = anyOf<UserFacts>(superadministrator, everyone(notSuperadministrator))

/** Nobody deletes or deactivates themselves, nor whoever sits behind an impersonation. */
export const exceptSelf = anyOf<UserFacts>(everyone(notSelf))

/** The real person behind a request, impersonating or not. */
export function realUserId(actor: Actor): number {
  return actor.impersonator?.id ?? actor.id
}

/**
 * Whoever sets a person's password or email can become them: only somebody who holds everything that person holds may,
 * and nobody in another's name.
 * @param held the policies of that person
 */
export function maySetCredentials(actor: Actor, held: readonly PolicyKey[]): boolean {
  return !actor.impersonator && held.every((key) => checkAccess(actor, key))
}

/** Whether a record is the acting person, or who sits behind them. */
export function isSelf(actor: Actor, person: { id: number }): boolean {
  return person.id === actor.id || person.id === actor.impersonator?.id
}
