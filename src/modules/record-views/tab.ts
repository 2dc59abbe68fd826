import type { FastifyRequest } from 'fastify'
import { findSettings, type ViewedKind } from '../../database/index.ts'
import { openList } from '../../records/card/list-tabs.ts'
import { cardPart, listTab, type Tab } from '../../records/kind/card.ts'
import { mayReadViews, viewsOf } from './list.ts'

/** Who opened a record, on its card. */
export function recordViewsTab<R extends { id: number }>(kind: ViewedKind, cardPath: string): Tab<R> {
  return {
    name: 'record-views',
    label: 'Who looked',
    icon: 'eye',
    rule: mayReadViews,
    isOffered: ({ server }) => findSettings(server.db).keeps_views,
    ...cardPart(listTab, (request: FastifyRequest, { id }: R) =>
      openList(request, viewsOf(request.server.db, kind, id, `${cardPath}/edit/${id}`)),
    ),
  }
}
