import { cachedUntilWrite, prepareOnce } from '../../database/index.ts'
import type { Context } from '../../http/request/context.ts'
import type { List, ListState } from './list.ts'
import { readState } from './state.ts'

/** The state that a query names; page size and columns that it does not name are those this person chose last. */
export function stateFor<Row>({ server, actor }: Context, list: List<Row>, query: URLSearchParams): ListState {
  const key = { user: actor.id, list: list.name }
  const chosen = cachedUntilWrite(server.db, `choices of ${actor.id} for ${list.name}`, () => findChoice(server.db).get(key))
  return readState(list, query, actor, chosen)
}

const findChoice = prepareOnce((db) =>
  db.$client.prepare<[{ user: number; list: string }], { size: string; cols: string }>(
    'select size, cols from list_choices where user_id = @user and list = @list',
  ),
)
