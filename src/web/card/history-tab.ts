import { and, eq, getTableName } from 'drizzle-orm'
import { changes } from '../../database/schema/index.ts'
import { historyList, mayReadHistory } from '../history/list.ts'
import { readState } from '../list/state.ts'
import { presentList } from '../list/view.ts'
import { queryOf } from '../request.ts'
import type { Card } from './card.ts'
import type { Tab } from './tabs.ts'

/** The tab that every card has: what was changed in its record. */
export function historyTab<R extends { id: number; version: number }>(card: Card<R>): Tab<R> {
  return {
    name: 'history',
    label: 'History',
    rule: mayReadHistory,
    template: 'history/tab.njk',
    load: (request, record) => {
      const place = { path: `${card.path}/edit/${record.id}`, query: { tab: 'history' } }
      const only = and(eq(changes.entity, getTableName(card.table)), eq(changes.record_id, record.id))
      const list = historyList(request, { name: 'history', title: 'History', place, baseCondition: only })
      return { list: presentList(request, list, readState(list, queryOf(request))) }
    },
  }
}
