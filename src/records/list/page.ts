import type { Context } from '../../http/request/context.ts'
import { countLimit } from '../../i18n/format.ts'
import { countRows } from './count.ts'
import type { List, ListState } from './list.ts'
import { filteredPageIds, idsQuery, matchingPageIds, pageIds } from './page-ids.ts'
import { loadRows, part } from './rows.ts'
import { search, selectIds, unlimited } from './search.ts'

/** Of the ids that are given, or of those that its query finds; of a page with all rows only the first part is loaded then. */
export function loadPage<Row extends { id: number }>(context: Context, list: List<Row>, state: ListState, all?: number[]) {
  const query = { db: context.server.db, list, actor: context.actor, state }
  const { size } = state
  if (size === 'all') return loadAll(context, list, all ?? selectIds(query.db, idsQuery(query)), all && part)
  if (all) {
    const place = placeOf(all.length, size, state.page)
    return viewOfPage(context, list, place, all.slice(place.offset, place.offset + size))
  }
  const counted = Math.max(countLimit, state.page * size) + 1
  const found = search(query, counted)
  const filtered = Object.keys(state.filters).length > 0
  const total = found?.count ?? countRows(query, filtered ? counted : unlimited)
  const open = (found !== undefined || filtered) && total === counted
  const place = placeOf(total, size, state.page)
  const ids = found
    ? matchingPageIds(query, place, open ? undefined : found)
    : filtered
      ? filteredPageIds(query, place, total, open)
      : pageIds(query, place, total)
  return { ...viewOfPage(context, list, place, ids), open }
}

type Place = ReturnType<typeof placeOf>

function placeOf(total: number, size: number, asked: number) {
  const pages = Math.max(1, Math.ceil(total / size))
  const page = Math.min(asked, pages)
  const offset = (page - 1) * size
  return { total, pages, page, offset, length: Math.min(size, total - offset) }
}

function viewOfPage<Row extends { id: number }>(context: Context, list: List<Row>, { total, pages, page, offset }: Place, ids: number[]) {
  const rows = loadRows(context, list, ids)
  return { rows, rest: [] as number[], total, open: false, page, pages, from: total === 0 ? 0 : offset + 1, to: offset + ids.length }
}

function loadAll<Row extends { id: number }>(context: Context, list: List<Row>, ids: number[], limit = ids.length) {
  const total = ids.length
  const rows = loadRows(context, list, ids.slice(0, limit))
  return { rows, rest: ids.slice(limit), total, open: false, page: 1, pages: 1, from: Math.min(total, 1), to: total }
}
