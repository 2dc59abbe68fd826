import type { FastifyReply, FastifyRequest } from 'fastify'
import { writeRecord } from '../../web/access/policy-hook.ts'
import { parseSwitch } from '../../web/form/switch.ts'
import { authorOf, refererPath, safePath, url, wantsFragment } from '../../web/http.ts'
import type { List } from '../../web/list/state.ts'
import { presentSwitch, type SwitchCell } from '../../web/list/view.ts'
import { bodyOf } from '../../web/request.ts'
import { page } from '../../web/view/page.ts'
import { setActive, type User } from './accounts.ts'

const activeCell = page<SwitchCell>('components/switch-cell.njk')

/** POST /<list>/{id}/active with the requested state, so that a repeated request changes nothing. */
export function toggleActive<Row extends { id: number }>(list: List<Row>) {
  return (request: FastifyRequest, reply: FastifyReply) => {
    const { db } = request.server
    const wanted = parseSwitch(bodyOf(request).get('value'))
    const id = writeRecord(request, (user: User) => {
      setActive(db, user, wanted, authorOf(request))
      return user.id
    })
    if (wantsFragment(request)) return reply.page(activeCell, presentSwitch(request, list, id, 'active'))
    return reply.redirect(safePath(request.server, refererPath(request), url(request.server, `/${list.name}`)), 303)
  }
}
