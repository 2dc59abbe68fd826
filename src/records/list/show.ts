import type { FastifyReply, FastifyRequest } from 'fastify'
import { bestEffort, prepareOnce, write } from '../../database/index.ts'
import { authorize } from '../../http/access/authorize.ts'
import type { Done } from '../../http/action.ts'
import { refererPath, url } from '../../http/request/addresses.ts'
import type { Context } from '../../http/request/context.ts'
import { RefusedOnPage } from '../../http/request/errors.ts'
import type { Flash } from '../../http/request/flash.ts'
import { bodyOf, parseFields, queryOf, wantsFragment } from '../../http/request/input.ts'
import { loadFragment, type RenderedFragment, template } from '../../http/request/template.ts'
import { readAllIds } from './ids.ts'
import { type AnyList, type List, type ListState, listPath } from './list.ts'
import { pageOfIds } from './page.ts'
import { part, shownRows } from './rows.ts'
import { listAddress, shownColumns, stateFor } from './state.ts'
import type { Totals } from './totals.ts'
import { type ListView, viewOfList } from './view.ts'

export interface ListRegion {
  list: ListView
  message?: Flash
}

interface Surroundings {
  title: string
  heading?: RenderedFragment
  below?: RenderedFragment
}

const listPage = template<ListRegion & Surroundings>('pages/list.njk')

/** What no query of the database knows of a list: the ids that it finds, in their order, and the sums in the last row of the table. */
interface ComputedRows {
  ids?: number[]
  /** Those of very many are worked out when `totals=1` asks for them. */
  totals?: Totals
}

export function showList<Row extends { id: number }>(list: List<Row>) {
  return (request: FastifyRequest, reply: FastifyReply) => sendList(request, reply, list, openState(request, reply, list))
}

/** What the address asks of a list; what is chosen in it is remembered, and the browser told the address of what it gets. */
export function openState<Row>(request: FastifyRequest, reply: FastifyReply, list: List<Row>): ListState {
  rememberChoice(request, list, stateFor(request, list, queryOf(request)))
  // What has just been chosen is usual from now on: links name what differs from it.
  const state = stateFor(request, list, queryOf(request))
  // What only completes the page that is open has no address of its own.
  if (wantsFragment(request) && !queryOf(request).has('totals')) setHistoryUrl(request, reply, listAddress(request, list, queryOf(request)))
  return state
}

function setHistoryUrl({ headers }: FastifyRequest, reply: FastifyReply, address: string): void {
  const searched = queryOf({ url: String(headers['hx-current-url'] ?? '') }).has('q')
  const typing = searched && String(headers['hx-source'] ?? '').startsWith('form#')
  reply.header(typing ? 'HX-Replace-Url' : 'HX-Push-Url', address)
}

/** Sends a list, a long one in parts, so that it blocks neither memory nor other requests. */
export async function sendList<Row extends { id: number }>(
  request: FastifyRequest,
  reply: FastifyReply,
  list: List<Row>,
  state: ListState,
  { ids, totals, message }: ComputedRows & { message?: Flash } = {},
) {
  const all = ids ?? (state.size === 'all' ? await readAllIds(request, list, state) : undefined)
  const view = viewOfList(request, list, state, all && pageOfIds(all, state), totals)
  const whole = { ...surroundingsOf(request, list), message, list: view }
  if (view.rest.length === 0) return reply.page(listPage, whole)
  const parts = remainingRows(request, list, view)
  return reply.longPage(listPage, whole, { template: view.rowTemplate, parts })
}

/** They are on the page already, unless something was done that may change them. */
function surroundingsOf<Row>(request: FastifyRequest, { title, around = {} }: List<Row>): Surroundings {
  const { heading, below } = wantsFragment(request) && request.method === 'GET' ? {} : around
  return {
    title: request.t(title),
    heading: heading && loadFragment(heading, request),
    below: below && loadFragment(below, request),
  }
}

function* remainingRows<Row extends { id: number }>(context: Context, list: List<Row>, view: ListView) {
  const columns = shownColumns(list, context.actor, view.state)
  let above = view.rows.at(-1)
  for (let start = 0; start < view.rest.length; start += part) {
    const rows = shownRows(context, list, view.rest.slice(start, start + part), { columns, q: view.state.q })
    yield { list: { ...view, rows, above } }
    above = rows.at(-1)
  }
}

/** A refusal of what was asked of rows: their list is shown again, and says so. */
export function refusedInList(context: Context, list: AnyList, source: URLSearchParams, message: string): RefusedOnPage {
  authorize(list.may.list, context.actor)
  return new RefusedOnPage(422, message, (request, reply) => sendList(request, reply, list, stateFor(request, list, source)))
}

/** What was done to a row of a list that the body describes, and is shown there. */
export function doneInList<Row extends { id: number }>(request: FastifyRequest, list: List<Row>, message?: string): Done {
  const state = stateFor(request, list, bodyOf(request))
  return {
    location: listAddress(request, list, bodyOf(request)),
    message: message ? [message] : undefined,
    fragment: (reply) => sendList(request, reply, list, state, { message: message ? { text: request.t(message) } : undefined }),
  }
}

export function backToList(request: FastifyRequest, name: string): string {
  const back = queryOf(request).get('back') ?? ''
  return url(request.server, `/${name}`) + (/^\?./.test(back) ? `?${parseFields(back)}` : '')
}

/** Page size and columns chosen in the list itself, as its links name only what differs from them; opening the address of somebody else's list chooses nothing. */
function rememberChoice<Row>(request: FastifyRequest, list: List<Row>, { size, cols, usual }: ListState): void {
  const { server, actor } = request
  const query = queryOf(request)
  const isHere = refererPath(request)?.split('?')[0] === url(server, listPath(list))
  if (!isHere || actor.impersonator || !(query.has('size') || query.has('cols'))) return
  if (size === usual.size && cols.join() === usual.cols.join()) return
  const choice = { user: actor.id, list: list.name, size: String(size), cols: cols.join() }
  bestEffort(() => write(server.db, () => saveChoice(server.db).run(choice)))
}

const saveChoice = prepareOnce((db) =>
  db.$client.prepare(
    `insert into list_choices (user_id, list, size, cols) values (@user, @list, @size, @cols)
      on conflict do update set size = excluded.size, cols = excluded.cols`,
  ),
)
