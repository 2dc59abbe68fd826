import type { PolicyKey } from './policies.ts'

export const group = { administrator: 1, dealer: 2, manager: 3, production: 4 } as const
export type Group = (typeof group)[keyof typeof group]

/** The person who acts, read anew for every request. */
export interface Actor {
  id: number
  group_id: number
  superadmin: boolean
  name: string
  lastname: string
  company_id: number | null
  stock_id: number | null
  manufacture_id: number | null
  policies: ReadonlySet<string>
  /** Who really sits there while the actor is being impersonated. */
  impersonator?: { id: number; superadmin: boolean; fullName: string }
}

/** The permission model, rules 1 to 3: a superadministrator, or the stored value. */
export function checkAccess(actor: Actor, key: PolicyKey): boolean {
  return actor.superadmin || actor.policies.has(key)
}

/** Whose records a limited right covers: in words for people, as a test of a record, and as a condition for lists. */
export interface Ownership<R> {
  words: string
  test: (actor: Actor, record: R) => boolean
  where?: (actor: Actor) => unknown
}

/** One way of being allowed: a policy, a group, being superadministrator, or simply being signed in. */
export interface Way<R = unknown> {
  holds: { policy: PolicyKey } | { group: Group } | 'superadministrator' | 'everyone'
  whose?: Ownership<R>
}

/** Every part must be satisfied, each by any of its ways. */
export type Rule<R = unknown> = readonly (readonly Way<R>[])[]

export const has = <R = unknown>(policy: PolicyKey, whose?: Ownership<R>): Way<R> => ({ holds: { policy }, whose })
export const isGroup = <R = unknown>(group: Group, whose?: Ownership<R>): Way<R> => ({ holds: { group }, whose })
export const superadministrator: Way = { holds: 'superadministrator' }
export const everyone = <R = unknown>(whose?: Ownership<R>): Way<R> => ({ holds: 'everyone', whose })

export const anyOf = <R = unknown>(...ways: Way<R>[]): Rule<R> => [ways]
export const all = <R = unknown>(...rules: Rule<R>[]): Rule<R> => rules.flat()

/** Any one of whole rules suffices; multiplied out, so that it is a rule like any other. */
export function either<R = unknown>(...rules: Rule<R>[]): Rule<R> {
  return rules.reduce<Rule<R>>((parts, rule) => parts.flatMap((ways) => rule.map((more) => [...ways, ...more])), [[]])
}

/** The rule that asks for the same rights but for no record: "may see some of these". */
export function holding<R>(rule: Rule<R>): Rule<R> {
  return rule.map((ways) => ways.map(({ holds }) => ({ holds })))
}

/** The first part that the actor fails: its ways, any of which would do, and those held that do not reach the record. */
export type Refusal<R> = { missing: 'right' | 'record'; ways: readonly Way<R>[]; held: readonly Way<R>[] }

/**
 * Decides a rule for a person. Without a record only the rights count: could any record be allowed?
 * @returns undefined when allowed, otherwise what is missing
 */
export function refusal<R>(rule: Rule<R>, actor: Actor, ...record: [R?]): Refusal<R> | undefined {
  for (const ways of rule) {
    const held = ways.filter((way) => holds(way, actor))
    if (held.length === 0) return { missing: 'right', ways, held }
  }
  if (record.length === 0) return undefined
  for (const ways of rule) {
    const held = ways.filter((way) => holds(way, actor))
    if (!held.some((way) => covers(way, actor, record[0] as R))) return { missing: 'record', ways, held }
  }
}

/** The same as no refusal, without its reasons. */
export function allows<R>(rule: Rule<R>, actor: Actor, ...record: [R?]): boolean {
  return rule.every((ways) => ways.some((way) => holds(way, actor) && (record.length === 0 || covers(way, actor, record[0] as R))))
}

/** What a rule leaves to be asked of each record once the person is known: for lists, which ask it of every row. */
export function judgeOf<R>(rule: Rule<R>, actor: Actor): (record: R) => boolean {
  const held = rule.map((ways) => ways.filter((way) => holds(way, actor)))
  const open = held.filter((ways) => ways.every(({ whose }) => whose))
  return (record) => open.every((ways) => ways.some((way) => covers(way, actor, record)))
}

/** Why somebody may, as the ways of each part that let them, or everything that is missing: what `refusal` says, first. */
export type Explanation<R> = { granted: readonly (readonly Way<R>[])[] } | { refused: readonly Refusal<R>[] }

/** Explains a decision: refused exactly when `refusal` says so. Without a record the ways are those that reach any at all. */
export function explain<R>(rule: Rule<R>, actor: Actor, ...record: [R?]): Explanation<R> {
  const first = refusal(rule, actor, ...record)
  if (first) {
    const each = rule.flatMap((ways) => refusal([ways], actor, ...record) ?? [])
    return { refused: each.filter(({ missing }) => missing === first.missing) }
  }
  const lets = (way: Way<R>) => holds(way, actor) && (record.length === 0 || covers(way, actor, record[0] as R))
  return { granted: rule.map((ways) => ways.filter(lets)) }
}

/**
 * Which records of a list the actor may see.
 * @returns 'all', or the conditions of which any must hold (none: nothing)
 */
export function scopeOf<R>(rule: Rule<R>, actor: Actor): 'all' | unknown[] {
  const held = (rule[0] ?? []).filter((way) => holds(way, actor))
  if (held.some((way) => !way.whose)) return 'all'
  return held.map((way) => way.whose?.where?.(actor)).filter(Boolean)
}

function holds<R>(way: Way<R>, actor: Actor): boolean {
  if (way.holds === 'everyone') return true
  if (way.holds === 'superadministrator') return actor.superadmin
  if ('group' in way.holds) return actor.group_id === way.holds.group
  return checkAccess(actor, way.holds.policy)
}

function covers<R>(way: Way<R>, actor: Actor, record: R): boolean {
  return !way.whose || way.whose.test(actor, record)
}

/** Empty owns nothing: two missing references are not the same owner. */
export function same(a: number | null | undefined, b: number | null | undefined): boolean {
  return a != null && a === b
}
