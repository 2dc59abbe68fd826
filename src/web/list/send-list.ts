import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Flash, loadPart, page, type RenderedPart } from '../http.ts'
import { readAllIds } from './all-ids.ts'
import { part, sortByIds } from './rows.ts'
import type { List, ListState } from './state.ts'
import { type ListView, presentList, rowPresenter } from './view.ts'

export interface ListRegion {
  list: ListView
  message?: Flash
}

const listPage = page<ListRegion & { title?: string; below?: RenderedPart }>('pages/list.njk')

export function loadBelow<Row>(request: FastifyRequest, { below }: List<Row>): { below?: RenderedPart } {
  return below ? { below: loadPart(below, request) } : {}
}

/** Sends a list, a long one in parts, so that it blocks neither memory nor other requests. */
export async function sendList<Row extends { id: number }>(
  request: FastifyRequest,
  reply: FastifyReply,
  list: List<Row>,
  state: ListState,
  data: { title?: string; message?: Flash; below?: RenderedPart },
) {
  const present = rowPresenter(request, list, state)
  const all = state.size === 'all' ? await readAllIds({ db: request.server.db, list, actor: request.actor, state }) : undefined
  const view = presentList(request, list, state, all, present)
  const whole = { ...data, list: view }
  if (view.rest.length === 0) return reply.page(listPage, whole)
  const parts = remainingRows(list, view, present)
  return reply.longPage(listPage, whole, { ...list.rowTemplate, parts })
}

function* remainingRows<Row extends { id: number }>(list: List<Row>, view: { rest: number[] }, present: (row: Row) => object) {
  for (let start = 0; start < view.rest.length; start += part) {
    const ids = view.rest.slice(start, start + part)
    yield { list: { ...view, rows: sortByIds(ids, list.rows(ids)).map(present) } }
  }
}
