import { isDeepStrictEqual } from 'node:util'
import { type PolicyKey, policyCatalog, policyKeys } from './policies.ts'

export const group = { administrator: 1, dealer: 2, manager: 3, production: 4 } as const
export type Group = (typeof group)[keyof typeof group]

/** The policies that people of each group have until somebody gives or takes some. */
export const roleDefaults = Object.fromEntries(
  Object.entries(group).map(([name, id]) => [id, policyKeys.filter((key) => policyCatalog[key].groups.includes(name))]),
) as Record<Group, PolicyKey[]>

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
  /** Managers whose work somebody does today: their own, and that of those whose deputy they are. */
  managers: readonly number[]
  /** Managers whose companies somebody may read besides. */
  reading: readonly number[]
  impersonator?: { id: number; superadmin: boolean; fullName: string }
}

export const isDealer = ({ group_id }: Pick<Actor, 'group_id'>): boolean => group_id === group.dealer
export const isStaff = (actor: Pick<Actor, 'group_id'>): boolean => !isDealer(actor)

/** Who acts on an order. */
export type Performer = Pick<Actor, 'id' | 'group_id' | 'managers' | 'reading'>

/** Whether a manager sees their own records only, none of somebody whose deputy they are. */
export const managesAlone = (actor: Actor, seesAll: PolicyKey): boolean =>
  actor.group_id === group.manager && readManagers(actor).length === 1 && !checkAccess(actor, seesAll)

export const readManagers = ({ managers, reading }: Performer): readonly number[] => [...managers, ...reading]

export function checkAccess(actor: Actor, key: PolicyKey): boolean {
  return actor.superadmin || actor.policies.has(key)
}

/** Something that not everybody may see, such as a column, a filter or a field. */
export interface Guarded {
  needs?: PolicyKey
  /** No dealer sees it. */
  staffOnly?: true
}

export const maySee =
  (actor: Actor) =>
  ({ needs, staffOnly }: Guarded): boolean =>
    (!needs || checkAccess(actor, needs)) && !(staffOnly && isDealer(actor))

export interface Ownership<R> {
  description: string
  predicate: (actor: Actor, record: R) => boolean
  /** What dealers are told of a record that is not in it. */
  refusal?: string
  /** In SQL: the records of somebody. */
  where?: (actor: Actor) => unknown
  /** In SQL: the people whose record it is. */
  whose?: (record: R) => unknown
}

/** Records that a right is limited to, where no list asks for them. */
export function owned<R>(description: string, predicate: Ownership<R>['predicate']): Ownership<R> {
  return { description, predicate }
}

export interface Grant<R = unknown> {
  permission: { policy: PolicyKey } | { group: Group } | 'superadministrator' | 'own-name' | 'everyone'
  scope?: Ownership<R>
}

/** A conjunction of alternatives: every part must be satisfied by at least one of its grants. */
export type Rule<R = unknown> = readonly (readonly Grant<R>[])[]

// biome-ignore lint/suspicious/noExplicitAny: a rule over records of any kind
export type AnyRule = Rule<any>

export const has = <R = unknown>(policy: PolicyKey, whose?: Ownership<R>): Grant<R> => ({ permission: { policy }, scope: whose })
export const isGroup = <R = unknown>(group: Group, whose?: Ownership<R>): Grant<R> => ({ permission: { group }, scope: whose })
export const superadministrator: Grant = { permission: 'superadministrator' }
export const inOwnName: Grant = { permission: 'own-name' }
export const everyone = <R = unknown>(whose?: Ownership<R>): Grant<R> => ({ permission: 'everyone', scope: whose })

export const anyOf = <R = unknown>(...grants: Grant<R>[]): Rule<R> => [grants]
export const allOf = <R = unknown>(...rules: Rule<R>[]): Rule<R> => rules.flat()

/** Combines rules with "or", multiplied out so that the result is again a conjunction of alternatives. */
export function either<R = unknown>(...rules: Rule<R>[]): Rule<R> {
  return rules.reduce<Rule<R>>(
    (parts, rule) => withoutImplied(parts.flatMap((grants) => rule.map((more) => distinct([...grants, ...more])))),
    [[]],
  )
}

function distinct<R>(grants: readonly Grant<R>[]): readonly Grant<R>[] {
  return grants.filter((one, at) => !includesGrant(grants.slice(0, at), one))
}

/** Whoever has one of some grants has one of more of them, so a part that only adds to another asks for nothing. */
function withoutImplied<R>(parts: Rule<R>): Rule<R> {
  const implies = (part: readonly Grant<R>[], other: readonly Grant<R>[]) => part.every((one) => includesGrant(other, one))
  return parts.filter((part, at) => !parts.some((other, before) => implies(other, part) && (before < at || !implies(part, other))))
}

function includesGrant<R>(grants: readonly Grant<R>[], { permission, scope }: Grant<R>): boolean {
  return grants.some((one) => one.scope === scope && isDeepStrictEqual(one.permission, permission))
}

export function ignoringScope<R>(rule: Rule<R>): Rule<R> {
  return rule.map((grants) => grants.map(({ permission }) => ({ permission })))
}

export type Denial<R> = { missing: 'right' | 'record'; grants: readonly Grant<R>[]; held: readonly Grant<R>[] }

/** Decides a rule for an actor. Without a record the scopes are ignored: could any record be allowed? */
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

export function allows<R>(rule: Rule<R>, actor: Actor, ...record: [R?]): boolean {
  return rule.every((grants) => grants.some((grant) => isGranted(grant, actor, ...record)))
}

/** Whether a rule holds for every record there may be, so that none need be looked at. */
export function allowsAll<R>(rule: Rule<R>, actor: Actor): boolean {
  return rule.every((grants) => grants.some((grant) => !grant.scope && hasPermission(grant, actor)))
}

export function authorizer<R>(rule: Rule<R>, actor: Actor): (record: R) => boolean {
  const held = rule.map((grants) => grants.filter((grant) => hasPermission(grant, actor)))
  const open = held.filter((grants) => grants.every(({ scope }) => scope))
  return (record) => open.every((grants) => grants.some((grant) => isInScope(grant, actor, record)))
}

type Explanation<R> = { granted: readonly (readonly Grant<R>[])[] } | { denied: readonly Denial<R>[] }

export function explain<R>(rule: Rule<R>, actor: Actor, ...record: [R?]): Explanation<R> {
  const first = findDenial(rule, actor, ...record)
  if (first) {
    const each = rule.flatMap((grants) => findDenial([grants], actor, ...record) ?? [])
    return { denied: each.filter(({ missing }) => missing === first.missing) }
  }
  return { granted: rule.map((grants) => grants.filter((grant) => isGranted(grant, actor, ...record))) }
}

export function scopeOf<R>(rule: Rule<R>, actor: Actor): 'all' | unknown[] {
  const held = (rule[0] ?? []).filter((grant) => hasPermission(grant, actor))
  if (held.some((grant) => !grant.scope)) return 'all'
  return held.map((grant) => grant.scope?.where?.(actor)).filter(Boolean)
}

function isGranted<R>(grant: Grant<R>, actor: Actor, ...record: [R?]): boolean {
  return hasPermission(grant, actor) && (record.length === 0 || isInScope(grant, actor, record[0] as R))
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

/** Null never matches null: two missing references are not the same owner. */
export function isSameId(a: number | null | undefined, b: number | null | undefined): boolean {
  return a != null && a === b
}

export function isAmong(ids: readonly number[], id: number | null | undefined): boolean {
  return id != null && ids.includes(id)
}

export function impersonationPolicy(groupId: number): PolicyKey {
  if (groupId === group.administrator) return 'admin_can_auth'
  if (groupId === group.dealer) return 'dealer_can_auth'
  return 'manager_can_auth'
}
