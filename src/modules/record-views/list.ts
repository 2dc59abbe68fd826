import { and, eq } from 'drizzle-orm'
import { anyOf, superadministrator } from '../../core/access.ts'
import { recordLabelFor } from '../../core/default-workflow.ts'
import { viewedKindLabels } from '../../core/labels.ts'
import { type Database, prepareOnce, recordViews, type ViewedKind, whereIn } from '../../database/index.ts'
import { url } from '../../http/request/addresses.ts'
import type { Context } from '../../http/request/context.ts'
import { parseId } from '../../http/request/input.ts'
import { inPeriod, periodFilters, wordFilter } from '../../records/list/common-filters.ts'
import type { Filter, List } from '../../records/list/list.ts'
import { readingPath } from '../../records/list/record-paths.ts'

export const mayReadViews = anyOf(superadministrator)

type Row = ReturnType<typeof loadViews>[number]

const { at, kind, label, user_name, impersonator_name, address } = recordViews

export const recordViewList = prepareOnce((db): List<Row> => viewList(db))

/** The views of one record, on its card. */
export function viewsOf(db: Database, of: ViewedKind, id: number, path: string): List<Row> {
  return {
    ...viewList(db),
    place: { path, query: { tab: 'record-views' } },
    baseCondition: and(eq(kind, of), eq(recordViews.record_id, id)),
  }
}

function viewList(db: Database): List<Row> {
  return {
    name: 'record-views',
    title: 'Who looked',
    empty: { title: 'Nobody has looked yet', text: 'Who opened a company, a dealer, or an order appears here while the settings keep it.' },
    columns: [
      { key: 'at', label: 'When', kind: 'recent', value: at, sort: at, exported: { label: 'When', kind: 'moment' } },
      { key: 'kind', label: 'Type', kind: 'short', value: kind, words: viewedKindLabels },
      { key: 'label', label: 'Record', kind: 'name', value: label },
      { key: 'user_name', label: 'Who', kind: 'person', cell: 'text', value: user_name, narrows: { filter: 'user', by: 'user_id' } },
      { key: 'impersonator_name', label: 'Impersonation', kind: 'person', cell: 'text', value: impersonator_name },
      { key: 'address', label: 'IP address', kind: 'text', value: address },
    ],
    sizes: [25, 50, 100],
    sort: { key: 'at', dir: 'desc' },
    table: recordViews,
    may: { list: mayReadViews },
    filters: [wordFilter('kind', 'Type', viewedKindLabels, kind), byUser, ...periodFilters(inPeriod(at))],
    searchHint: 'record, person, address',
    find: [label, user_name, impersonator_name, address],
    rows: { load: (ids, context) => loadViews(db, ids, context), events: true },
  }
}

/** Chosen by a click on a name: there may be very many people. */
const byUser: Filter = {
  name: 'user',
  label: 'Who',
  nameOf: ({ server }, value) =>
    server.db
      .select({ name: user_name })
      .from(recordViews)
      .where(eq(recordViews.user_id, Number(value)))
      .limit(1)
      .get()?.name ?? `#${value}`,
  where: (value) => {
    const id = parseId(value)
    return id === undefined ? undefined : eq(recordViews.user_id, id)
  },
}

function loadViews(db: Database, ids: number[], context: Context) {
  const { language, server } = context
  const rows = db.select().from(recordViews).where(whereIn(recordViews.id, ids)).all()
  return rows.map((row) => ({
    ...row,
    label: recordLabelFor(language, row.kind, row.label),
    hrefs: { label: url(server, readingPath(context, row.kind, row.record_id)) },
    data: { view: `${row.kind}-${row.record_id}` },
  }))
}
