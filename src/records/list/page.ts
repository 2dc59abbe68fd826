import type { Context } from '../../http/request/context.ts'
import { countLimit } from '../../i18n/format.ts'
import { countRows } from './count.ts'
import type { List, ListState } from './list.ts'
import { filteredPageIds, idsQuery, matchingPageIds, pageIds } from './page-ids.ts'
import { part } from './rows.ts'
import { search, selectIds, unlimited } from './search.ts'

/** What of a list stands on a page. */
export type Page = ReturnType<typeof findPage>

export function findPage<Row>(context: Context, list: List<Row>, state: ListState) {
  const query = { db: context.server.db, list, actor: context.actor, state }
  const { size } = state
  if (size === 'all') return wholePage(selectIds(query.db, idsQuery(query)))
  const counted = Math.max(countLimit, state.page * size) + 1
  const found = search(query, counted)
  const filtered = Object.keys(state.filters).length > 0
  const total = found?.count ?? countRows(query, filtered ? counted : unlimited)
  const open = (found !== undefined || filtered) && total === counted
  const place = placeOf(total, size, state.page)
  if (found) return pageOf(place, matchingPageIds(query, place, open ? undefined : found), open)
  return pageOf(place, filtered ? filteredPageIds(query, place, total, open) : pageIds(query, place, total), open)
}

/** Of all ids that a list finds; of a page with all rows only the first part is shown at once. */
export function pageOfIds(ids: number[], { size, page }: ListState): Page {
  if (size === 'all') return wholePage(ids, part)
  const place = placeOf(ids.length, size, page)
  return pageOf(place, ids.slice(place.offset, place.offset + size))
}

type Place = ReturnType<typeof placeOf>

function placeOf(total: number, size: number, asked: number) {
  const pages = Math.max(1, Math.ceil(total / size))
  const page = Math.min(asked, pages)
  const offset = (page - 1) * size
  return { total, pages, page, offset, length: Math.min(size, total - offset) }
}

/** @param open whether there may be more than were counted */
function pageOf({ total, pages, page, offset }: Place, ids: number[], open = false) {
  return { ids, rest: [] as number[], total, open, page, pages, from: total === 0 ? 0 : offset + 1, to: offset + ids.length }
}

function wholePage(ids: number[], limit = ids.length): ReturnType<typeof pageOf> {
  const total = ids.length
  return { ids: ids.slice(0, limit), rest: ids.slice(limit), total, open: false, page: 1, pages: 1, from: Math.min(total, 1), to: total }
}
