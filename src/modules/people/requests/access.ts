import { all, anyOf, either, everyone, isGroup, type Ownership, type Rule } from '../../../core/access.ts'
import type { PersonFacts } from '../access.ts'
import type { Kind } from '../kind.ts'
import { maySet, rightsHolders, sparingRights } from '../rights/access.ts'
import type { RightRequest } from './requests.ts'

const heldThemselves: Ownership<RightRequest> = {
  words: 'rights that you hold yourself',
  test: (actor, request) => maySet(actor, request.key, true),
}

/** Those who have a tab with rights, and so may ask for one. */
export function hasRights(kinds: readonly Kind[]): Rule<RightRequest> {
  return anyOf(...kinds.map((kind) => isGroup<RightRequest>(kind.group)))
}

/** Who decides a request: whoever may switch that right of that person on, by the rules of the tab Rights. */
export function mayDecide(kinds: readonly Kind[]): Rule<RightRequest> {
  const holders = kinds.flatMap((kind) => (kind.rights ? [ofKind(kind, rightsHolders(kind, kind.rights))] : []))
  return all(hasRights(kinds), either(...holders), asking(sparingRights), anyOf(everyone(heldThemselves)))
}

/** The rule of one kind, for requests of its people only. */
function ofKind(kind: Kind, rule: Rule<PersonFacts>): Rule<RightRequest> {
  return asking(rule).map((ways) =>
    ways.map(({ holds, whose }) => ({
      holds,
      whose: {
        words: ofTheirs[kind.name],
        test: (actor, request) => request.person.group_id === kind.group && (!whose || whose.test(actor, request)),
      },
    })),
  )
}

const ofTheirs: Record<Kind['name'], string> = {
  admins: 'requests of administrators',
  dealers: 'requests of dealers',
  managers: 'requests of managers',
  productions: 'requests of production users',
}

/** A rule about people, asked of the person behind a request. */
function asking(rule: Rule<PersonFacts>): Rule<RightRequest> {
  return rule.map((ways) =>
    ways.map(({ holds, whose }) => ({
      holds,
      ...(whose && { whose: { words: whose.words, test: (actor, request) => whose.test(actor, request.person) } }),
    })),
  )
}
