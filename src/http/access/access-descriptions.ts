import { type Actor, type Denial, type Grant, type Group, group, isDealer, roleDefaults } from '../../core/access.ts'
import { groupNames } from '../../core/labels.ts'
import { type PolicyKey, policyCatalog } from '../../core/policies.ts'
import type { Translate } from '../../i18n/translate.ts'

/** Why somebody is refused, in their words: rights and groups say nothing to dealers. */
export function describeRefusal(denial: Denial<never>, actor: Actor, t: Translate): string[] {
  return isDealer(actor) ? describeToDealer(denial, t) : describeDenial(denial, t)
}

function describeToDealer({ missing, grants, held }: Denial<never>, t: Translate): string[] {
  if (missing === 'right') return [t(refusalOfRight(grants))]
  const refusal = held.flatMap(({ scope }) => scope?.refusal ?? [])[0]
  if (refusal) return [t(refusal)]
  return unique(held.map(({ scope }) => t('Limited to {words}.', { words: t(scope?.description ?? '') })))
}

function refusalOfRight(grants: readonly Grant<never>[]): string {
  if (grants.some(({ permission }) => permission === 'own-name')) return 'Not available while you are impersonating someone.'
  if (policiesOf(grants).some((key) => roleDefaults[group.dealer].includes(key))) return 'This is switched off for your account.'
  return 'This section is for staff of the manufacturer.'
}

export function describeDenial({ missing, grants, held }: Denial<never>, t: Translate): string[] {
  if (missing === 'right') return describeMissingPermission(grants, t)
  const lacking = grants.filter((grant) => !held.includes(grant) && !grant.scope)
  return unique([...held.map((grant) => describeScope(grant, t)), ...describeWiderPermission(lacking, t)])
}

export function describeGrants(granted: readonly (readonly Grant<never>[])[], actor: Actor, t: Translate) {
  const parts = granted.map((grants) => (grants.some(({ scope }) => !scope) ? grants.filter(({ scope }) => !scope) : grants))
  const reasons = unique(parts.flat().flatMap((grant) => (grant.scope ? describeScope(grant, t) : describeSource(grant, actor, t))))
  const limited = parts.some((grants) => grants.every(({ scope }) => scope))
  return { limited, reasons: reasons.length > 0 ? reasons : [t('Available to everyone who is signed in.')] }
}

/** More of them is a wall that nobody reads. */
const namedPermissions = 2

function describeMissingPermission(grants: readonly Grant<never>[], t: Translate): string[] {
  const policies = policiesOf(grants)
  if (policies.length > namedPermissions)
    return [
      t('This needs one of {number} permissions, such as {right}.', {
        number: policies.length,
        right: formatPermissions(policies.slice(0, 1), t),
      }),
    ]
  if (policies.length > 0) return [t('This needs the {rights} permission.', { rights: formatPermissions(policies, t) })]
  const open = [
    ...groupsOf(grants).map((group) => t(groupNames[group])),
    ...(allowsSuperadministrator(grants) ? [t('Superadministrators')] : []),
  ]
  if (grants.some(({ permission }) => permission === 'own-name')) return [t('Not available while you are impersonating someone.')]
  if (open.length === 0) return [t('Not available to anyone.')]
  if (groupsOf(grants).length === 0) return [t('Only a superadministrator can do this.')]
  return [t('Available only to: {groups}.', { groups: open.join(', ') })]
}

function describeScope({ permission, scope }: Grant<never>, t: Translate): string {
  const description = t(scope?.description ?? '')
  if (typeof permission === 'string') return t('Limited to {words}.', { words: description })
  if ('group' in permission)
    return t('The {group} group is limited to {words}.', { group: t(groupNames[permission.group]), words: description })
  return t('The {right} permission is limited to {words}.', { right: quotePermission(permission.policy, t), words: description })
}

function describeWiderPermission(grants: readonly Grant<never>[], t: Translate): string[] {
  const policies = policiesOf(grants)
  if (policies.length > 0) return [t('Full access needs the {rights} permission.', { rights: formatPermissions(policies, t) })]
  return allowsSuperadministrator(grants) ? [t('Only superadministrators have full access.')] : []
}

function describeSource({ permission }: Grant<never>, actor: Actor, t: Translate): string[] {
  if (permission === 'everyone' || permission === 'own-name') return []
  if (permission === 'superadministrator') return [t('You are a superadministrator.')]
  if ('group' in permission) return [t('You are in the {group} group.', { group: t(groupNames[permission.group]) })]
  if (actor.superadmin) return [t('You are a superadministrator.')]
  const rights = formatPermissions([permission.policy], t)
  const byRole = roleDefaults[actor.group_id as Group]?.includes(permission.policy)
  return [byRole ? t('Your role includes the {rights} permission.', { rights }) : t('You have the {rights} permission.', { rights })]
}

function formatPermissions(keys: PolicyKey[], t: Translate): string {
  const categories = unique(keys.map((key) => t(policyCatalog[key].category)))
  const names = keys.map((key) =>
    categories.length > 1 ? `${quotePermission(key, t)} (${t(policyCatalog[key].category)})` : quotePermission(key, t),
  )
  const listed = [names.slice(0, -1).join(', '), ...names.slice(-1)].filter(Boolean).join(` ${t('or')} `)
  return categories.length > 1 ? listed : `${listed} (${categories[0]})`
}

function quotePermission(key: PolicyKey, t: Translate): string {
  return t('"{text}"', { text: t(policyCatalog[key].name) })
}

export function policiesOf(grants: readonly Grant<never>[]): PolicyKey[] {
  return unique(grants.flatMap(({ permission }) => (typeof permission === 'object' && 'policy' in permission ? [permission.policy] : [])))
}

function groupsOf(grants: readonly Grant<never>[]): Group[] {
  return unique(grants.flatMap(({ permission }) => (typeof permission === 'object' && 'group' in permission ? [permission.group] : [])))
}

function allowsSuperadministrator(grants: readonly Grant<never>[]): boolean {
  return grants.some(({ permission }) => permission === 'superadministrator')
}

function unique<T>(values: T[]): T[] {
  return [...new Set(values)]
}
