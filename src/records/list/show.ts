import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Done } from '../../http/action.ts'
import { url } from '../../http/request/addresses.ts'
import { bodyOf, parseFields, queryOf, wantsFragment } from '../../http/request/input.ts'
import { type List, listPath } from './list.ts'
import { requestedState, stateFor } from './remembered.ts'
import { loadAround, sendList } from './send-list.ts'
import { stateQuery } from './state.ts'

export function showList<Row extends { id: number }>(list: List<Row>) {
  return (request: FastifyRequest, reply: FastifyReply) => {
    const state = requestedState(request, list)
    // What only completes the page that is open has no address of its own.
    if (wantsFragment(request) && !queryOf(request).has('totals'))
      setHistoryUrl(request, reply, url(request.server, listPath(list)) + stateQuery(list, state))
    const around = wantsFragment(request) ? {} : loadAround(request, list)
    return sendList(request, reply, list, state, { title: request.t(list.title), ...around })
  }
}

function setHistoryUrl({ headers }: FastifyRequest, reply: FastifyReply, address: string): void {
  const searched = queryOf({ url: String(headers['hx-current-url'] ?? '') }).has('q')
  const typing = searched && String(headers['hx-source'] ?? '').startsWith('form#')
  reply.header(typing ? 'HX-Replace-Url' : 'HX-Push-Url', address)
}

/** What was done to a row of a list that the body describes, and is shown there. */
export function doneInList<Row extends { id: number }>(request: FastifyRequest, list: List<Row>, message?: string): Done {
  const state = stateFor(request, list, bodyOf(request))
  return {
    location: url(request.server, `/${list.name}`) + stateQuery(list, state),
    message: message ? [message] : undefined,
    fragment: (reply) => sendList(request, reply, list, state, { message: message ? { text: request.t(message) } : undefined }),
  }
}

export function listUrl(request: FastifyRequest, name: string): string {
  const back = queryOf(request).get('back') ?? ''
  return url(request.server, `/${name}`) + (/^\?./.test(back) ? `?${parseFields(back)}` : '')
}
