import { allows } from '../../core/access.ts'
import type { Context } from '../../http/request/context.ts'
import { parseFields } from '../../http/request/input.ts'
import type { ListQuery } from './ids.ts'
import type { List } from './list.ts'
import { sliceIds } from './page.ts'
import { readState } from './state.ts'

/**
 * The ids of the records before and after one in the list that somebody came from.
 *
 * @param query what the address of the list says, from its question mark on; without one nobody came from it
 */
export function neighborsOf<Row>({ server: { db }, actor }: Context, list: List<Row>, id: number, query: string) {
  if (!query.startsWith('?') || !allows(list.may.list, actor)) return {}
  return neighborsIn({ db, list, actor, state: readState(list, parseFields(query), actor) }, id)
}

/** Of a page with all rows, only so many are looked through for neighbors. */
const neighborLimit = 1000

/** On a page of the list and at its edges; none when the page no longer holds the row. */
function neighborsIn<Row>(query: ListQuery<Row>, id: number) {
  const { state } = query
  const size = state.size === 'all' ? neighborLimit : state.size
  const start = (state.page - 1) * size
  const offset = Math.max(0, start - 1)
  const ids = sliceIds(query, { offset, length: start + size + 1 - offset })
  const at = ids.indexOf(id)
  return at < 0 ? {} : { previous: ids[at - 1], next: ids[at + 1] }
}
