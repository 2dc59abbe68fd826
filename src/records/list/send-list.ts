import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../http/request/context.ts'
import type { Flash } from '../../http/request/flash.ts'
import { loadFragment, type RenderedFragment, template } from '../../http/request/template.ts'
import { readAllIds } from './all-ids.ts'
import type { List, ListState, Total } from './list.ts'
import { part, shownRows } from './rows.ts'
import { shownColumns } from './state.ts'
import { type ListView, rowTemplateOf, viewOfList } from './view.ts'

export interface ListRegion {
  list: ListView & { totals?: Record<string, Total> | 'later' }
  message?: Flash
}

type ListData = { title?: string; heading?: RenderedFragment; below?: RenderedFragment }

const listPage = template<ListRegion & ListData>('pages/list.njk')

export function loadAround<Row>(request: FastifyRequest, { around = {} }: List<Row>): ListData {
  const { heading, below } = around
  return { ...(heading && { heading: loadFragment(heading, request) }), ...(below && { below: loadFragment(below, request) }) }
}

/** Sends a list, a long one in parts, so that it blocks neither memory nor other requests. */
export async function sendList<Row extends { id: number }>(
  request: FastifyRequest,
  reply: FastifyReply,
  list: List<Row>,
  state: ListState,
  data: ListData & { message?: Flash },
) {
  const { findIds, totals } = list.rows
  const all =
    (await findIds?.(request, state)) ??
    (state.size === 'all' ? await readAllIds({ db: request.server.db, list, actor: request.actor, state }) : undefined)
  const view = { ...viewOfList(request, list, state, all), totals: await totals?.(request, state) }
  const whole = { ...data, list: view }
  if (view.rest.length === 0) return reply.page(listPage, whole)
  const parts = remainingRows(request, list, view)
  return reply.longPage(listPage, whole, { ...rowTemplateOf(list), parts })
}

function* remainingRows<Row extends { id: number }>(context: Context, list: List<Row>, view: ListView) {
  const columns = shownColumns(list, context.actor, view.state)
  let above = view.rows.at(-1)
  for (let start = 0; start < view.rest.length; start += part) {
    const rows = shownRows(context, list, view.rest.slice(start, start + part), columns)
    yield { list: { ...view, rows, above } }
    above = rows.at(-1)
  }
}
