import type { Done } from '../../http/action.ts'
import { url } from '../../http/request/addresses.ts'
import type { Context } from '../../http/request/context.ts'
import { type User, userLabel } from './user.ts'

/** What was done on a tab of somebody's card; the message may name them. */
export function doneAtTab({ server }: Context, user: User, tab: string, message: string): Done {
  const card = `/${server.registry.userTypes.get(user.group_id)?.name}/edit/${user.id}`
  return { location: url(server, `${card}?tab=${tab}`), message: [message, { name: userLabel(user) }] }
}
