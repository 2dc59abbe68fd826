import { type Actor, anyOf, checkAccess, everyone, owned, superadministrator } from '../../core/access.ts'
import type { PolicyKey } from '../../core/policies.ts'

export interface UserFacts {
  id: number
  superadmin: boolean
}

const notSuperadministrator = owned<UserFacts>('users who are not superadministrators', (_, person) => !person.superadmin)

const notSelf = owned<UserFacts>('users other than yourself', (actor, person) => !isSelf(actor, person))

const notImpersonating = owned<unknown>('users who are not impersonating someone', (actor) => !actor.impersonator)

export const withoutImpersonation = anyOf<unknown>(everyone(notImpersonating))

export const exceptSuperadministrators = anyOf<UserFacts>(superadministrator, everyone(notSuperadministrator))

export const exceptSelf = anyOf<UserFacts>(everyone(notSelf))

export function realUserId(actor: Actor): number {
  return actor.impersonator?.id ?? actor.id
}

/** Setting a person's password or email gives all of their rights, and their Telegram what they are told, so it takes holding them all, and no impersonation. */
export function maySetCredentials(actor: Actor, held: readonly PolicyKey[]): boolean {
  return !actor.impersonator && held.every((key) => checkAccess(actor, key))
}

export function isSelf(actor: Actor, person: { id: number }): boolean {
  return person.id === actor.id || person.id === actor.impersonator?.id
}
