import { and, eq, getTableName, or } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import { ignoringScope, type Rule } from '../../core/access.ts'
import { changes } from '../../database/index.ts'
import type { Context } from '../../http/request/context.ts'
import { queryOf } from '../../http/request/input.ts'
import { historyList, mayReadHistory } from '../history/list.ts'
import { entriesBelow } from '../history/subordinates.ts'
import { type AnyCard, cardPart, listTab, type Tab } from '../kind/card.ts'
import type { AnyList, List } from '../list/list.ts'
import { recordPath } from '../list/record-paths.ts'
import { readState } from '../list/state.ts'
import { viewOfList } from '../list/view.ts'

export function historyTab(card: AnyCard): Tab<{ id: number }> {
  return {
    name: 'history',
    label: 'History',
    rule: mayReadHistory,
    ...cardPart(listTab, (request: FastifyRequest, record: { id: number }) => viewOfChanges(request, card, record)),
  }
}

export function viewOfChanges(request: FastifyRequest, card: AnyCard, record: { id: number }) {
  const place = { path: recordPath(card, record.id), query: { tab: 'history' } }
  const own = and(eq(changes.entity, getTableName(card.form.table)), eq(changes.record_id, record.id))
  const below = entriesBelow(request.server, card.form.table, record.id)
  const shown = { name: 'history', title: 'History', place, baseCondition: or(own, ...below) }
  const list = historyList(request, shown, below.length > 0)
  return openList(request, list)
}

export function openList<R extends { id: number }>(request: FastifyRequest, list: List<R>) {
  return { list: viewOfList(request, list, readState(list, queryOf(request), request.actor)) }
}

export function relatedTabs({ server }: Context, card: AnyCard): Tab<{ id: number }>[] {
  return Object.entries(card.related ?? {}).map(([name, filter]) => relatedTab(server.records.get(name)?.list as AnyList, filter, card))
}

function relatedTab(list: AnyList, filter: string, card: AnyCard): Tab<{ id: number }> {
  return {
    name: list.name,
    label: list.title,
    rule: ignoringScope(list.may.list),
    template: listTab.template,
    load: (request, { id }) => openList(request, narrowList(request, list, filter, id, recordPath(card, id))),
  }
}

function narrowList({ actor }: Context, list: AnyList, filter: string, id: number, path: string): AnyList {
  const fixed = list.filters?.find(({ name }) => name === filter)
  return {
    ...list,
    place: { path, query: { tab: list.name } },
    baseCondition: and(list.baseCondition, fixed?.where(String(id), actor)),
    filters: list.filters?.filter((one) => one !== fixed),
    columns: list.columns.filter(({ key }) => key !== filter),
    may: { list: list.may.list, view: list.may.view as Rule<unknown>, add: list.may.add as Rule<unknown> },
    add: list.add && { ...list.add, path: `${list.add.path}?${new URLSearchParams({ [filter]: String(id) })}` },
    around: undefined,
  }
}
