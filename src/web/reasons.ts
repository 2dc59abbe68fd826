import type { Actor, Group, Refusal, Way } from '../core/access.ts'
import { type PolicyKey, policyCatalogue, roleDefaults } from '../core/policies.ts'
import type { Translate } from './i18n/translate.ts'

/** How the groups of people are called. */
export const groupNames: Record<Group, string> = { 1: 'Administrators', 2: 'Dealers', 3: 'Managers', 4: 'Production' }

/**
 * What is missing, in plain words to the person who was refused: rights by their names, or whose records theirs reach.
 * It looks at the rule alone and so tells nothing of a record.
 */
export function reasonsOf({ missing, ways, held }: Refusal<never>, t: Translate): string[] {
  if (missing === 'right') return needed(ways, t)
  const lacking = ways.filter((way) => !held.includes(way) && !way.whose)
  return unique([...held.map((way) => limit(way, t)), ...beyond(lacking, t)])
}

/** Why somebody may: the rights that let them, and what limits these; `limited` when not every record is theirs. */
export function grantsOf(granted: readonly (readonly Way<never>[])[], actor: Actor, t: Translate): { limited: boolean; reasons: string[] } {
  const parts = granted.map((ways) => (ways.some(({ whose }) => !whose) ? ways.filter(({ whose }) => !whose) : ways))
  const reasons = unique(parts.flat().flatMap((way) => (way.whose ? limit(way, t) : source(way, actor, t))))
  const limited = parts.some((ways) => ways.every(({ whose }) => whose))
  return { limited, reasons: reasons.length > 0 ? reasons : [t('Everybody who is signed in may do this.')] }
}

function needed(ways: readonly Way<never>[], t: Translate): string[] {
  const policies = policiesOf(ways)
  const open = [...groupsOf(ways).map((group) => t(groupNames[group])), ...(isForRoot(ways) ? [t('Superadministrators')] : [])]
  if (policies.length > 0) {
    const right = t('You need the right {rights}.', { rights: rightsInWords(policies, t) })
    return groupsOf(ways).length > 0 ? [right, t('Without it this is open only to: {groups}.', { groups: open.join(', ') })] : [right]
  }
  if (open.length === 0) return [t('Nobody may do this.')]
  if (groupsOf(ways).length === 0) return [t('Only a superadministrator may do this.')]
  return [t('This is open only to: {groups}.', { groups: open.join(', ') })]
}

/** Whose records a way reaches. */
function limit({ holds, whose }: Way<never>, t: Translate): string {
  const words = t(whose?.words ?? '')
  if (typeof holds === 'string') return t('This covers only {words}.', { words })
  if ('group' in holds) return t('Your group {group} gives you only {words}.', { group: t(groupNames[holds.group]), words })
  return t('Your right {right} covers only {words}.', { right: quoted(holds.policy, t), words })
}

/** What would reach every record. */
function beyond(ways: readonly Way<never>[], t: Translate): string[] {
  const policies = policiesOf(ways)
  if (policies.length > 0) return [t('For more you need the right {rights}.', { rights: rightsInWords(policies, t) })]
  return isForRoot(ways) ? [t('Only a superadministrator may do more.')] : []
}

/** Where an unlimited way comes from. */
function source({ holds }: Way<never>, actor: Actor, t: Translate): string[] {
  if (holds === 'everyone') return []
  if (holds === 'superadministrator') return [t('You are a superadministrator.')]
  if ('group' in holds) return [t('You belong to the group {group}.', { group: t(groupNames[holds.group]) })]
  if (actor.superadmin) return [t('You are a superadministrator.')]
  const rights = rightsInWords([holds.policy], t)
  const byRole = roleDefaults[actor.group_id as Group]?.includes(holds.policy)
  return [
    byRole
      ? t('You have the right {rights}, which comes with your role.', { rights })
      : t('You were granted the right {rights}.', { rights }),
  ]
}

/** «One», «Another» or «A third», each with its category where these differ. */
function rightsInWords(keys: PolicyKey[], t: Translate): string {
  const categories = unique(keys.map((key) => t(policyCatalogue[key].category)))
  const names = keys.map((key) => (categories.length > 1 ? `${quoted(key, t)} (${t(policyCatalogue[key].category)})` : quoted(key, t)))
  const listed = [names.slice(0, -1).join(', '), ...names.slice(-1)].filter(Boolean).join(` ${t('or')} `)
  return categories.length > 1 ? listed : `${listed} (${categories[0]})`
}

function quoted(key: PolicyKey, t: Translate): string {
  return `«${t(policyCatalogue[key].name)}»`
}

/** The policies that ways name, each once. */
export function policiesOf(ways: readonly Way<never>[]): PolicyKey[] {
  return unique(ways.flatMap(({ holds }) => (typeof holds === 'object' && 'policy' in holds ? [holds.policy] : [])))
}

function groupsOf(ways: readonly Way<never>[]): Group[] {
  return unique(ways.flatMap(({ holds }) => (typeof holds === 'object' && 'group' in holds ? [holds.group] : [])))
}

function isForRoot(ways: readonly Way<never>[]): boolean {
  return ways.some(({ holds }) => holds === 'superadministrator')
}

function unique<T>(values: T[]): T[] {
  return [...new Set(values)]
}
