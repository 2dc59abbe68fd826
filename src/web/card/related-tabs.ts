import { and } from 'drizzle-orm'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { allows, ignoringScope, type Rule } from '../../core/access.ts'
import { type List, readState } from '../list/state.ts'
import { presentList } from '../list/view.ts'
import { queryOf } from '../request.ts'
import { type Card, type MenuLink, recordPath } from './card.ts'
import { listTab } from './pages.ts'
import type { Tab } from './tabs.ts'

// biome-ignore lint/suspicious/noExplicitAny: lists of every kind
type AnyList = List<any>
type RelatedCard = Pick<Card<never>, 'path' | 'related'>

/** What belongs to a record: tabs with lists, each narrowed by its filter that names the record. */
export function relatedTabs<R extends { id: number }>({ server }: FastifyRequest, { path, related = [] }: RelatedCard): Tab<R>[] {
  return listsOf(server, related).map(({ list, filter }) => relatedTab(list, filter, path))
}

/** The same lists as pages of their own. */
export function relatedLinks({ server, actor, t }: FastifyRequest, { related = [] }: RelatedCard, id: number): MenuLink[] {
  return listsOf(server, related)
    .filter(({ list }) => allows(list.may.list, actor))
    .map(({ list, filter }) => ({ label: t(list.title), icon: 'list', href: `/${list.name}?${filter}=${id}` }))
}

function listsOf({ deletions }: FastifyInstance, related: [list: string, filter: string][]) {
  return related.map(([name, filter]) => ({ list: deletions.get(name)?.list as AnyList, filter }))
}

function relatedTab<R extends { id: number }>(list: AnyList, filter: string, path: string): Tab<R> {
  return {
    name: list.name,
    label: list.title,
    rule: ignoringScope(list.may.list) as Rule<R>,
    template: listTab.template,
    load: (request: FastifyRequest, { id }: R) => {
      const narrowed = narrowList(request, list, filter, id, recordPath({ path }, id))
      return { list: presentList(request, narrowed, readState(narrowed, queryOf(request))) }
    },
  }
}

function narrowList({ actor }: FastifyRequest, list: AnyList, filter: string, id: number, path: string): AnyList {
  const fixed = list.filters?.find(({ name }) => name === filter)
  return {
    ...list,
    place: { path, query: { tab: list.name } },
    baseCondition: and(list.baseCondition, fixed?.where(String(id), actor)),
    filters: list.filters?.filter((one) => one !== fixed),
    columns: list.columns.filter(({ key }) => key !== filter),
    may: { list: list.may.list, view: list.may.view as Rule<unknown> },
    add: undefined,
    bulk: false,
    bulkActions: undefined,
    countQuery: undefined,
    tools: undefined,
    below: undefined,
  }
}
