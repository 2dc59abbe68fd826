import type { FastifyReply, FastifyRequest } from 'fastify'
import { authorOf, bodyOf, url, wantsFragment } from '../../web/http.ts'
import type { List } from '../../web/list/state.ts'
import { toggle } from '../../web/list/toggle.ts'
import type { SwitchCell } from '../../web/list/view.ts'
import { page } from '../../web/view/page.ts'
import { type User, updateAccount } from './accounts.ts'
import type { UserRow, UserType } from './user-type.ts'

const activeCell = page<SwitchCell>('components/switch-cell.njk')

/** POST /<list>/{id}/active. With `ask`, a deactivation redirects to the hand-over page if there is something to hand over. */
export function toggleActive(list: List<UserRow>, { askFirst }: UserType) {
  const save = toggle(list, 'active', activeCell, (request, user: User, active) =>
    updateAccount(request.server, user, { active }, authorOf(request)),
  )
  return (request: FastifyRequest, reply: FastifyReply) => {
    const body = bodyOf(request)
    const asks = body.has('ask') && body.get('value') === '0'
    const question = asks ? askFirst?.(request, request.record as User) : undefined
    if (!question) return save(request, reply)
    const address = url(request.server, question)
    return wantsFragment(request) ? reply.header('HX-Redirect', address).send() : reply.redirect(address, 303)
  }
}
