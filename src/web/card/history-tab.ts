import { and, eq, getTableName } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import { changes } from '../../database/schema/index.ts'
import { cardPart, listTab } from '../card/pages.ts'
import { historyList, mayReadHistory } from '../history/list.ts'
import { readState } from '../list/state.ts'
import { presentList } from '../list/view.ts'
import { queryOf } from '../request.ts'
import { type Card, recordPath } from './card.ts'
import type { Tab } from './tabs.ts'

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
  return { list: presentList(request, list, readState(list, queryOf(request))) }
}
