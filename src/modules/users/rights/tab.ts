import type { FastifyRequest } from 'fastify'
import { allows, checkAccess, type Rule } from '../../../core/access.ts'
import type { PolicyKey } from '../../../core/policies.ts'
import { policyEffects } from '../../../core/specification-rules.ts'
import { fold, searchWords } from '../../../core/text.ts'
import { url } from '../../../http/request/addresses.ts'
import type { Context } from '../../../http/request/context.ts'
import { queryOf } from '../../../http/request/input.ts'
import { template } from '../../../http/request/template.ts'
import type { Translate } from '../../../i18n/translate.ts'
import { type CardFrame, cardPart, type Tab } from '../../../records/kind/card.ts'
import type { UserFacts } from '../access.ts'
import type { User } from '../user.ts'
import type { UserType } from '../user-type.ts'
import { rightsRules } from './access.ts'
import { viewOfSets } from './permission-sets.ts'
import { type Right, rightsOf } from './rights.ts'

const sizes = [10, 50, 100] as const

const rightsPage = template<
  CardFrame & { rights: ReturnType<typeof viewOfRights>; rightsPath: string; permissionSets?: ReturnType<typeof viewOfSets> }
>('users/rights.njk')

export function rightsTab(userType: UserType, policy: PolicyKey): Tab<User> {
  const rules = rightsRules(userType, policy)
  return {
    name: 'rights',
    label: 'Rights',
    rule: rules.view,
    ...cardPart(rightsPage, (request: FastifyRequest, user: User) => ({
      rights: viewOfRights(request, user, rules.edit, queryOf(request)),
      rightsPath: url(request.server, `/${userType.name}/edit/${user.id}/rights`),
      permissionSets: allows(rules.edit, request.actor, user) ? viewOfSets(request, userType, user) : undefined,
    })),
  }
}

function viewOfRights({ server, actor, t }: Context, user: User, mayEdit: Rule<UserFacts>, query: URLSearchParams) {
  const state = {
    q: query.get('q') ?? '',
    category: query.get('category') ?? '',
    size: parseSize(query.get('size')),
    page: Number(query.get('page')) || 1,
  }
  const effects = policyEffects(server.rules)
  const every = rightsOf(server.db, user.id).map((right) => ({ ...right, description: effects[right.key] ?? right.description }))
  const found = every.filter((right) => matchesFilter(right, state, t))
  const size = Math.min(state.size, found.length || 1)
  const pages = Math.ceil(found.length / size) || 1
  const page = Math.min(Math.max(1, Math.trunc(state.page)), pages)
  const visible = found.slice((page - 1) * size, page * size)
  const editable = allows(mayEdit, actor, user)
  const link = (changes: Record<string, string>) =>
    `?${new URLSearchParams({ ...Object.fromEntries(query), tab: 'rights', page: '1', ...changes })}`
  return {
    ...state,
    size: state.size === Infinity ? 'all' : state.size,
    total: found.length,
    from: found.length === 0 ? 0 : (page - 1) * size + 1,
    to: (page - 1) * size + visible.length,
    page,
    pages,
    categories: [...new Set(every.map((right) => right.category))],
    groups: groupByCategory(visible).map((group) => ({
      ...group,
      ...countGranted(every, group.category),
      editable: editable && group.rights.every(({ key }) => checkAccess(actor, key)),
    })),
    lockedFor: (right: Right) => !editable || (!right.value && !checkAccess(actor, right.key)),
    sizes: [...sizes.map(String), 'all'].map((size) => ({ size, href: link({ size }) })),
    previous: page > 1 ? link({ page: String(page - 1) }) : undefined,
    next: page < pages ? link({ page: String(page + 1) }) : undefined,
  }
}

function parseSize(requested: string | null): number {
  return sizes.find((size) => String(size) === requested) ?? Number.POSITIVE_INFINITY
}

function matchesFilter(right: Right, { q, category }: { q: string; category: string }, t: Translate): boolean {
  if (category && right.category !== category) return false
  const text = fold(`${right.key}\n${t(right.name)}\n${t(right.description)}`)
  return searchWords(q).every((word) => text.includes(word))
}

export function countGranted(every: Right[], category: string): { number: number; on: number; of: number } {
  const own = every.filter((right) => right.category === category)
  return { number: every.indexOf(own[0] as Right), on: own.filter(({ value }) => value).length, of: own.length }
}

function groupByCategory(rights: Right[]): { category: string; rights: Right[] }[] {
  const categories = [...new Set(rights.map((right) => right.category))]
  return categories.map((category) => ({ category, rights: rights.filter((right) => right.category === category) }))
}
