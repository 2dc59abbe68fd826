import type { FastifyReply, FastifyRequest } from 'fastify'
import { bodyOf } from '../../web/form/body.ts'
import { switchValue } from '../../web/form/switch.ts'
import { authorOf, cameFrom, safePath, url, wantsFragment } from '../../web/http.ts'
import type { List } from '../../web/list/state.ts'
import { offering } from '../../web/list/view.ts'
import { writeRecord } from '../../web/policy.ts'
import { setActive, type User } from './accounts.ts'

/** POST /<list>/{id}/active: the wanted state, never "flip". */
export function toggleActive<Row extends { id: number }>(list: List<Row>) {
  return (request: FastifyRequest, reply: FastifyReply) => {
    const { db } = request.server
    const wanted = switchValue(bodyOf(request).get('value'))
    const id = writeRecord(request, (user: User) => {
      setActive(db, user, wanted, authorOf(request))
      return user.id
    })
    if (wantsFragment(request))
      return reply.page('people/active-cell.njk', { row: list.rows([id]).map(offering(list, request.actor))[0], list })
    return reply.redirect(safePath(request.server, cameFrom(request), url(request.server, `/${list.name}`)), 303)
  }
}
