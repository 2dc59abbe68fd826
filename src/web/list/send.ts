import type { FastifyReply, FastifyRequest } from 'fastify'
import { inOrder } from './rows.ts'
import type { List, ListState } from './state.ts'
import { listView, offering } from './view.ts'

/** Rows that are loaded and drawn at once; others are served before the next ones. */
const batch = 100

/** Answers with a list: at once where it is short, else its rows in parts, so that neither memory nor others feel how long it is. */
export function sendList<Row extends { id: number }>(
  request: FastifyRequest,
  reply: FastifyReply,
  list: List<Row>,
  state: ListState,
  data: Record<string, unknown>,
) {
  const view = listView(request, list, state, state.size === 'all' ? batch : undefined)
  const page = { ...data, list: view }
  if (view.rest.length === 0) return reply.page('pages/list.njk', page)
  const parts = laterRows(list, view, offering(list, request.actor))
  return reply.longPage('pages/list.njk', page, { template: list.template, parts })
}

function* laterRows<Row extends { id: number }>(list: List<Row>, view: { rest: number[] }, offer: (row: Row) => object) {
  for (let start = 0; start < view.rest.length; start += batch) {
    const ids = view.rest.slice(start, start + batch)
    yield { list: { ...view, rows: inOrder(ids, list.rows(ids)).map(offer) } }
  }
}
