import { and, eq, getTableName } from 'drizzle-orm'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { allows, ignoringScope, type Rule } from '../../core/access.ts'
import { changes } from '../../database/schema/index.ts'
import { historyList, mayReadHistory } from '../history/list.ts'
import { queryOf } from '../http.ts'
import { type List, readState } from '../list/state.ts'
import { presentList } from '../list/view.ts'
import { type Card, cardPart, listTab, type MenuLink, recordPath, type Tab } from './card.ts'

export function historyTab<R extends { id: number; version: number }>(card: Card<R>): Tab<R> {
  return {
    name: 'history',
    label: 'History',
    rule: mayReadHistory,
    ...cardPart(listTab, (request: FastifyRequest, record: R) => presentChanges(request, card, record)),
  }
}

export function presentChanges<R extends { id: number; version: number }>(request: FastifyRequest, card: Card<R>, record: R) {
  const place = { path: recordPath(card, record.id), query: { tab: 'history' } }
  const only = and(eq(changes.entity, getTableName(card.table)), eq(changes.record_id, record.id))
  const list = historyList(request, { name: 'history', title: 'History', place, baseCondition: only })
  return openList(request, list)
}

function openList<R extends { id: number }>(request: FastifyRequest, list: List<R>) {
  return { list: presentList(request, list, readState(list, queryOf(request))) }
}

// biome-ignore lint/suspicious/noExplicitAny: lists of every kind
type AnyList = List<any>
type RelatedCard = Pick<Card<never>, 'path' | 'related'>

export function relatedTabs<R extends { id: number }>({ server }: FastifyRequest, { path, related = [] }: RelatedCard): Tab<R>[] {
  return listsOf(server, related).map(({ list, filter }) => relatedTab(list, filter, path))
}

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
    load: (request: FastifyRequest, { id }: R) => openList(request, narrowList(request, list, filter, id, recordPath({ path }, id))),
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
