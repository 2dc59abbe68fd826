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
  description: string
  predicate: (actor: Actor, record: R) => boolean
  where?: (actor: Actor) => unknown
}

/** One way of being allowed: a policy, a group, being superadministrator, acting in one's own name, or simply being signed in. */
export interface Grant<R = unknown> {
  permission: { policy: PolicyKey } | { group: Group } | 'superadministrator' | 'own-name' | 'everyone'
  scope?: Ownership<R>
}

/** Every part must be satisfied, each by any of its ways. */
export type Rule<R = unknown> = readonly (readonly Grant<R>[])[]

export const has = <R = unknown>(policy: PolicyKey, whose?: Ownership<R>): Grant<R> => ({ permission: { policy }, scope: whose })
export const isGroup = <R = unknown>(group: Group, whose?: Ownership<R>): Grant<R> => ({ permission: { group }, scope: whose })
export const superadministrator: Grant = { permission: 'superadministrator' }
/** Nobody is being impersonated. */
export const inOwnName: Grant = { permission: 'own-name' }
export const everyone = <R = unknown>(whose?: Ownership<R>): Grant<R> => ({ permission: 'everyone', scope: whose })

export const anyOf = <R = unknown>(...grants: Grant<R>[]): Rule<R> => [grants]
export const allOf = <R = unknown>(...rules: Rule<R>[]): Rule<R> => rules.flat()

/** Any one of whole rules suffices; multiplied out, so that it is a rule like any other. */
export function either<R = unknown>(...rules: Rule<R>[]): Rule<R> {
  return rules.reduce<Rule<R>>((parts, rule) => parts.flatMap((grants) => rule.map((more) => [...grants, ...more])), [[]])
}

/** The rule that asks for the same rights but for no record: "may see some of these". */
export function ignoringScope<R>(rule: Rule<R>): Rule<R> {
  return rule.map((grants) => grants.map(({ permission }) => ({ permission })))
}

/** The first part that the actor fails: its ways, any of which would do, and those held that do not reach the record. */
export type Denial<R> = { missing: 'right' | 'record'; grants: readonly Grant<R>[]; held: readonly Grant<R>[] }

/**
 * Decides a rule for a person. Without a record only the rights count: could any record be allowed?
 * @returns undefined when allowed, otherwise what is missing
 */
export function findDenial<R>(rule: Rule<R>, actor: Actor, ...record: [R?]): Denial<R> | undefined {
  for (const grants of rule) {
    const held = grants.filter((grant) => hasPermission(grant, actor))
    if (held.length === 0) return { missing: 'right', grants, held }
  }
  if (record.length === 0) return undefined
  for (const grants of rule) {
    const held = grants.filter((grant) => hasPermission(grant, actor))
    if (!held.some((grant) => isInScope(grant, actor, record[0] as R))) return { missing: 'record', grants, held }
  }
}

/** The same as no refusal, without its reasons. */
export function allows<R>(rule: Rule<R>, actor: Actor, ...record: [R?]): boolean {
  return rule.every((grants) =>
    grants.some((grant) => hasPermission(grant, actor) && (record.length === 0 || isInScope(grant, actor, record[0] as R))),
  )
}

/** What a rule leaves to be asked of each record once the person is known: for lists, which ask it of every row. */
export function authorizer<R>(rule: Rule<R>, actor: Actor): (record: R) => boolean {
  const held = rule.map((grants) => grants.filter((grant) => hasPermission(grant, actor)))
  const open = held.filter((grants) => grants.every(({ scope }) => scope))
  return (record) => open.every((grants) => grants.some((grant) => isInScope(grant, actor, record)))
}

/** Why somebody may, as the ways of each part that let them, or everything that is missing: what `refusal` says, first. */
export type Explanation<R> = { granted: readonly (readonly Grant<R>[])[] } | { denied: readonly Denial<R>[] }

/** Explains a decision: refused exactly when `refusal` says so. Without a record the ways are those that reach any at all. */
export function explain<R>(rule: Rule<R>, actor: Actor, ...record: [R?]): Explanation<R> {
  const first = findDenial(rule, actor, ...record)
  if (first) {
    const each = rule.flatMap((grants) => findDenial([grants], actor, ...record) ?? [])
    return { denied: each.filter(({ missing }) => missing === first.missing) }
  }
  const applies = (grant: Grant<R>) => hasPermission(grant, actor) && (record.length === 0 || isInScope(grant, actor, record[0] as R))
  return { granted: rule.map((grants) => grants.filter(applies)) }
}

/**
 * Which records of a list the actor may see.
 * @returns 'all', or the conditions of which any must hold (none: nothing)
 */
export function scopeOf<R>(rule: Rule<R>, actor: Actor): 'all' | unknown[] {
  const held = (rule[0] ?? []).filter((grant) => hasPermission(grant, actor))
  if (held.some((grant) => !grant.scope)) return 'all'
  return held.map((grant) => grant.scope?.where?.(actor)).filter(Boolean)
}

function hasPermission<R>(grant: Grant<R>, actor: Actor): boolean {
  if (grant.permission === 'everyone') return true
  if (grant.permission === 'superadministrator') return actor.superadmin
  if (grant.permission === 'own-name') return !actor.impersonator
  if ('group' in grant.permission) return actor.group_id === grant.permission.group
  return checkAccess(actor, grant.permission.policy)
}

function isInScope<R>(grant: Grant<R>, actor: Actor, record: R): boolean {
  return !grant.scope || grant.scope.predicate(actor, record)
}

/** Empty owns nothing: two missing references are not the same owner. */
export function isSameId(a: number | null | undefined, b: number | null | undefined): boolean {
  return a != null && a === b
}
