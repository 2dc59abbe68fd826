import { type Grant, group } from '../core/access.ts'
import type { Access, RouteEntry } from '../http/request/route-policy.ts'

/** A route in one line that fits a screen: method, address, what it answers, who may. */
export function formatRoute({ method, url, access, record, answers }: RouteEntry): string {
  const answer = answers ?? (method === 'GET' ? 'page, region' : 'redirect')
  return [method.padEnd(5), url.padEnd(44), answer.padEnd(13), describeAccess(access), record ? '[record]' : ''].join(' ').trimEnd()
}

const longest = 120

/** The rule with the records it is limited to, if that is too long without those, and at last only the rights that it asks for. */
function describeAccess(access: Access | undefined): string {
  if (!Array.isArray(access)) return String(access)
  const described = describeParts(access, describeGrant)
  if (described.length <= longest) return described
  const brief = describeParts(access, ({ permission, scope }) => `${describePermission(permission)}${scope ? ' (…)' : ''}`)
  return brief.length <= longest ? brief : describeRights(access)
}

function describeParts(rule: readonly (readonly Grant[])[], describe: (grant: Grant) => string): string {
  const parts = withoutImplied(rule).map((grants) => [...new Set(grants.map(describe))])
  return parts.map((grants) => grants.join(' or ')).join(' AND ') || 'signed-in'
}

/** Whoever satisfies the shorter of two parts of a rule that has all its grants also satisfies the longer one. */
function withoutImplied(rule: readonly (readonly Grant[])[]) {
  const demanding = rule
    .map((grants) => ({ grants, names: new Set(grants.map(describeGrant)) }))
    .filter(({ names }) => !names.has('everyone'))
  const kept = demanding.filter(({ names }, at) => {
    const implies = (other: Set<string>, index: number) =>
      [...other].every((name) => names.has(name)) && (other.size < names.size || index < at)
    return !demanding.some((other, index) => implies(other.names, index))
  })
  return kept.map(({ grants }) => grants)
}

function describeRights(rule: readonly (readonly Grant[])[]): string {
  const rights = new Set(rule.flat().map(({ permission }) => describePermission(permission)))
  rights.delete('everyone')
  const text = `a combination of ${[...rights].join(', ')}`
  return text.length <= longest ? text : `${text.slice(0, text.lastIndexOf(',', longest))}, …`
}

function describeGrant({ permission, scope }: Grant): string {
  return scope ? `${describePermission(permission)} (${scope.description})` : describePermission(permission)
}

function describePermission(permission: Grant['permission']): string {
  if (typeof permission === 'string') return permission
  if ('policy' in permission) return permission.policy
  return `group ${Object.entries(group).find(([, id]) => id === permission.group)?.[0]}`
}
