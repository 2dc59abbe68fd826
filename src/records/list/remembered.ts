import type { FastifyRequest } from 'fastify'
import { bestEffort, cachedUntilWrite, prepareOnce, write } from '../../database/index.ts'
import { refererPath, url } from '../../http/request/addresses.ts'
import type { Context } from '../../http/request/context.ts'
import { queryOf } from '../../http/request/input.ts'
import { type List, type ListState, listPath } from './list.ts'
import { readState } from './state.ts'

/** The state that a query names; page size and columns that it does not name are those this person chose last. */
export function stateFor<Row>({ server, actor }: Context, list: List<Row>, query: URLSearchParams): ListState {
  const key = { user: actor.id, list: list.name }
  const chosen = cachedUntilWrite(server.db, `choices of ${actor.id} for ${list.name}`, () => findChoice(server.db).get(key))
  return readState(list, query, actor, chosen)
}

/**
 * The state that a list is asked for. Page size and columns chosen in the list itself are remembered first, as its links name only what
 * differs from them; opening the address of somebody else's list chooses nothing.
 */
export function requestedState<Row>(request: FastifyRequest, list: List<Row>): ListState {
  const { server, actor } = request
  const query = queryOf(request)
  const state = stateFor(request, list, query)
  const { size, cols, usual } = state
  const chosenHere = refererPath(request)?.split('?')[0] === url(server, listPath(list)) && (query.has('size') || query.has('cols'))
  if (!chosenHere || actor.impersonator || (size === usual.size && cols.join() === usual.cols.join())) return state
  const choice = { user: actor.id, list: list.name, size: String(size), cols: cols.join() }
  bestEffort(() => write(server.db, () => saveChoice(server.db).run(choice)))
  return stateFor(request, list, query)
}

const findChoice = prepareOnce((db) =>
  db.$client.prepare<[{ user: number; list: string }], { size: string; cols: string }>(
    'select size, cols from list_choices where user_id = @user and list = @list',
  ),
)

const saveChoice = prepareOnce((db) =>
  db.$client.prepare(
    `insert into list_choices (user_id, list, size, cols) values (@user, @list, @size, @cols)
      on conflict do update set size = excluded.size, cols = excluded.cols`,
  ),
)
