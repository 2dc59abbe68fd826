import { allows } from '../../core/access.ts'
import type { Context } from '../../http/request/context.ts'
import { parseFields } from '../../http/request/input.ts'
import type { ListQuery } from './ids.ts'
import type { List } from './list.ts'
import { sliceIds } from './page.ts'
import { readState } from './state.ts'
import { pagesPath } from './view.ts'

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

/** Where the records beside one are read; `moved` says that the next one is that which followed before something was done. */
export interface Neighbors {
  back?: string
  previous?: string
  next?: string
  previousId?: number
  nextId?: number
  moved?: boolean
}

interface Origin {
  back: string
  /** The query of the list, where `back` says more. */
  query?: string
  /** What stood around it before something was done, by which the record itself may have left the list. */
  around: { previous?: number; next?: number }
}

/** Neighbors of a record that is read on a page of its own, which leads on after what is done there. */
export function linkNeighbors<Row>(context: Context, list: List<Row>, id: number, { back, query = back, around }: Origin): Neighbors {
  const listed = neighborsOf(context, list, id, query)
  const [previous, next] = [around.previous ?? listed.previous, around.next ?? listed.next]
  const link = (of: number | undefined) =>
    of === undefined ? undefined : `${pagesPath(context, list)}${of}?${new URLSearchParams({ back })}`
  const ids = { previousId: previous, nextId: next }
  return { back, previous: link(previous), next: link(next), ...ids, moved: around.next !== undefined }
}

/** The records named around one, of those that the user may see. */
export const aroundIn = (sent: URLSearchParams, visibleId: (text: string | null) => number | undefined): Origin['around'] => ({
  previous: visibleId(sent.get('prev')),
  next: visibleId(sent.get('next')),
})

/** What of a query or a body says from which list somebody came, as a query of the page that follows. */
export function originQuery(sent: URLSearchParams): string {
  const kept = new URLSearchParams([...sent].filter(([name, value]) => value && ['back', 'prev', 'next'].includes(name)))
  return kept.size > 0 ? `?${kept}` : ''
}
