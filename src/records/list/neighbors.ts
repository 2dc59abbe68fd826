import { allows, authorizer } from '../../core/access.ts'
import type { Context } from '../../http/request/context.ts'
import { parseFields } from '../../http/request/input.ts'
import type { ListQuery } from './ids.ts'
import type { List } from './list.ts'
import { sliceIds } from './page.ts'
import { readState } from './state.ts'

/** A list may hold records that its reader cannot open: so many of them are passed over. */
const passedOver = 25

/**
 * The ids of the records before and after one in the list that somebody came from, of those that they may open.
 *
 * @param query what the address of the list says, from its question mark on; without one nobody came from it
 */
export function neighborsOf<Row>(context: Context, list: List<Row>, id: number, query = '') {
  const { server, actor } = context
  const { may, rows } = list
  if (!query.startsWith('?') || !allows(may.list, actor)) return {}
  const { before, after } = rowsAround({ db: server.db, list, actor, state: readState(list, parseFields(query), actor) }, id)
  const isOpen = may.view && authorizer(may.view, actor)
  const opens = (id: number) => !isOpen || rows.load([id], context).some(isOpen)
  return { previous: before.slice(-passedOver).findLast(opens), next: after.slice(0, passedOver).find(opens) }
}

/** Of a page with all rows, only so many are looked through. */
const lengthLimit = 1000

/** What is before and after it on a page of the list and at its edges; nothing when the page no longer holds it. */
function rowsAround<Row>(query: ListQuery<Row>, id: number) {
  const { state } = query
  const size = state.size === 'all' ? lengthLimit : state.size
  const start = (state.page - 1) * size
  const offset = Math.max(0, start - 1)
  const ids = sliceIds(query, { offset, length: start + size + 1 - offset })
  const at = ids.indexOf(id)
  return at < 0 ? { before: [], after: [] } : { before: ids.slice(0, at), after: ids.slice(at + 1) }
}
