import type { FastifyReply, FastifyRequest } from 'fastify'
import { sortByIds } from './rows.ts'
import type { List, ListState } from './state.ts'
import { addRowPermissions, presentList } from './view.ts'

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
  const view = presentList(request, list, state, state.size === 'all' ? batch : undefined)
  const page = { ...data, list: view }
  if (view.rest.length === 0) return reply.page('pages/list.njk', page)
  const parts = remainingRows(list, view, addRowPermissions(list, request.actor))
  return reply.longPage('pages/list.njk', page, { template: list.template, parts })
}

function* remainingRows<Row extends { id: number }>(list: List<Row>, view: { rest: number[] }, addPermissions: (row: Row) => object) {
  for (let start = 0; start < view.rest.length; start += batch) {
    const ids = view.rest.slice(start, start + batch)
    yield { list: { ...view, rows: sortByIds(ids, list.rows(ids)).map(addPermissions) } }
  }
}
