import type { FastifyReply, FastifyRequest } from 'fastify'
import { writeRecord } from '../../web/access/policy-hook.ts'
import { parseSwitch } from '../../web/form/fields.ts'
import { authorOf, refererPath, safePath, url, wantsFragment } from '../../web/http.ts'
import type { List } from '../../web/list/state.ts'
import { presentSwitch, type SwitchCell } from '../../web/list/view.ts'
import { bodyOf } from '../../web/request.ts'
import { page } from '../../web/view/page.ts'
import { type User, updateAccount } from './accounts.ts'
import type { UserType } from './user-type.ts'

const activeCell = page<SwitchCell>('components/switch-cell.njk')

/**
 * POST /<list>/{id}/active with the requested state, so that a repeated request changes nothing. With `ask`, a deactivation redirects to
 * the hand-over page if there is something to hand over.
 */
export function toggleActive<Row extends { id: number }>(list: List<Row>, { askFirst }: UserType) {
  return (request: FastifyRequest, reply: FastifyReply) => {
    const body = bodyOf(request)
    const wanted = parseSwitch(body.get('value'))
    const question = !wanted && body.has('ask') ? askFirst?.(request, request.record as User) : undefined
    if (question) return leadTo(request, reply, url(request.server, question))
    const id = writeRecord(request, (user: User) => {
      updateAccount(request.server, user, { active: wanted }, authorOf(request))
      return user.id
    })
    if (wantsFragment(request)) return reply.page(activeCell, presentSwitch(request, list, id, 'active'))
    return reply.redirect(safePath(request.server, refererPath(request), url(request.server, `/${list.name}`)), 303)
  }
}

function leadTo(request: FastifyRequest, reply: FastifyReply, address: string): FastifyReply {
  return wantsFragment(request) ? reply.header('HX-Redirect', address).send() : reply.redirect(address, 303)
}
