import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { anyOf, has } from '../../../core/access.ts'
import type { PolicyKey } from '../../../core/policies.ts'
import { authorize, writeRecord } from '../../../web/access/policy-hook.ts'
import { parseSwitch } from '../../../web/form/switch.ts'
import { authorOf, notFound, refererPath, url, wantsFragment } from '../../../web/http.ts'
import { bodyOf } from '../../../web/request.ts'
import { page } from '../../../web/view/page.ts'
import type { User } from '../accounts.ts'
import type { UserType } from '../user-type.ts'
import { maySetRight, rightsRules } from './access.ts'
import { type Right, rightsOf, setRights } from './rights.ts'

const rightCell = page<{ right: Right; locked: boolean; rightsPath: string }>('users/right-cell.njk')

export function rightsRoutes(app: FastifyInstance, path: string, userType: UserType, policy: PolicyKey): void {
  const access = rightsRules(userType, policy).edit
  const record = userType.find
  app.post(`${path}/:key`, { access, record }, setRight)
  app.post(path, { access, record }, setCategory)

  function setRight(request: FastifyRequest, reply: FastifyReply) {
    const { key } = request.params as { key: string }
    const value = parseSwitch(bodyOf(request).get('value'))
    const [user, rights] = changeRights(request, value, (right) => right.key === key)
    if (!wantsFragment(request)) return redirectToTab(request, reply, user)
    const right = { ...(rights[0] as Right), value }
    const locked = !maySetRight(request.actor, right.key, !value)
    return reply.page(rightCell, {
      right,
      locked,
      rightsPath: url(request.server, `/${userType.name}/edit/${user.id}/rights`),
    })
  }

  function setCategory(request: FastifyRequest, reply: FastifyReply) {
    const body = bodyOf(request)
    const value = parseSwitch(body.get('value'))
    const [user] = changeRights(request, value, (right) => right.category === body.get('category'))
    return redirectToTab(request, reply, user)
  }

  function redirectToTab(request: FastifyRequest, reply: FastifyReply, user: User) {
    const target = url(request.server, `/${userType.name}/edit/${user.id}?tab=rights`)
    const from = refererPath(request)
    return reply.redirect(from?.split('?')[0] === target.split('?')[0] ? (from as string) : target, 303)
  }
}

function changeRights(request: FastifyRequest, value: boolean, chosen: (right: Right) => boolean): [User, Right[]] {
  const { db } = request.server
  return writeRecord(request, (user: User) => {
    const rights = rightsOf(db, user.id).filter(chosen)
    if (rights.length === 0) throw notFound()
    for (const { key } of rights) if (!maySetRight(request.actor, key, value)) authorize(anyOf(has(key)), request.actor)
    setRights(db, user, rights, value, authorOf(request))
    return [user, rights]
  })
}
