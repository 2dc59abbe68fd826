import { type Actor, anyOf, everyone, type Ownership, superadministrator } from '../../core/access.ts'

/** What the closed rules about people look at. */
export interface PersonFacts {
  id: number
  superadmin: boolean
}

const ordinary: Ownership<PersonFacts> = {
  words: 'people who are not superadministrators',
  test: (_, person) => !person.superadmin,
}

const others: Ownership<PersonFacts> = {
  words: 'other people than yourself',
  test: (actor, person) => !isOneself(actor, person),
}

const themselves: Ownership<unknown> = {
  words: 'those who are not acting as somebody already',
  test: (actor) => !actor.impersonator,
}

/** What nobody does in another's name. */
export const actingAsOneself = anyOf<unknown>(everyone(themselves))

/** Only a superadministrator touches a superadministrator. */
export const sparingSuperadministrators = anyOf<PersonFacts>(superadministrator, everyone(ordinary))

/** Nobody deletes or deactivates themselves, nor whoever sits behind an impersonation. */
export const sparingOneself = anyOf<PersonFacts>(everyone(others))

/** The real person behind a request, impersonating or not. */
export function realId(actor: Actor): number {
  return actor.impersonator?.id ?? actor.id
}

/** Whether a record is the acting person, or who sits behind them. */
export function isOneself(actor: Actor, person: { id: number }): boolean {
  return person.id === actor.id || person.id === actor.impersonator?.id
}
