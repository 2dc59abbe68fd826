import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { anyOf, has } from '../../../core/access.ts'
import type { PolicyKey } from '../../../core/policies.ts'
import { authorize } from '../../../web/access/policy-hook.ts'
import { onRecord, writeRecord } from '../../../web/access/record-routes.ts'
import { parseSwitch } from '../../../web/form/fields.ts'
import { bodyOf, flash, notFound, page, paramOf, refererPath, url, wantsFragment } from '../../../web/http.ts'
import { type User, userLabel } from '../user.ts'
import type { UserType } from '../user-type.ts'
import { maySetRight, rightsRules } from './access.ts'
import { diffRights, readChosenKeys } from './permission-sets.ts'
import { type Right, rightsOf, setRights } from './rights.ts'
import { countGranted } from './tab.ts'

const rightCell = page<{ right: Right; locked: boolean; rightsPath: string; group: ReturnType<typeof countGranted> }>(
  'users/right-answer.njk',
)

export function rightsRoutes(app: FastifyInstance, userType: UserType, policy: PolicyKey): void {
  const path = `/${userType.name}/edit/:id/rights`
  const access = rightsRules(userType, policy).edit
  const record = userType.find
  app.post(`${path}/:key`, onRecord({ access, record }, setRight))
  app.post(path, onRecord({ access, record }, saveRights))

  function saveRights(request: FastifyRequest, reply: FastifyReply, user: User) {
    return bodyOf(request).has('category') ? setCategory(request, reply, user) : replaceRights(request, reply, user)
  }

  function setRight(request: FastifyRequest, reply: FastifyReply, named: User) {
    const key = paramOf(request, 'key')
    const value = parseSwitch(bodyOf(request).get('value'))
    const [user, rights] = changeRights(request, named, value, (right) => right.key === key)
    if (!wantsFragment(request)) return redirectToTab(request, reply, user)
    const [right] = rights as [Right]
    const locked = !maySetRight(request.actor, right.key, !value)
    return reply.page(rightCell, {
      right,
      locked,
      group: countGranted(rightsOf(request.server.db, user.id), right.category),
      rightsPath: url(request.server, `/${userType.name}/edit/${user.id}/rights`),
    })
  }

  function setCategory(request: FastifyRequest, reply: FastifyReply, named: User) {
    const body = bodyOf(request)
    const value = parseSwitch(body.get('value'))
    const [user] = changeRights(request, named, value, (right) => right.category === body.get('category'))
    return redirectToTab(request, reply, user)
  }

  function replaceRights(request: FastifyRequest, reply: FastifyReply, named: User) {
    const [user, { granted, revoked, withheld }] = writeRecord(request, named, (user) => {
      const keys = readChosenKeys(request, userType, bodyOf(request))
      const changes = diffRights(keys, rightsOf(request.server.db, user.id), request.actor)
      setRights(request, user, [...changes.granted, ...changes.revoked])
      return [user, changes] as const
    })
    const counts = { name: userLabel(user), granted: granted.length, revoked: revoked.length, withheld: withheld.length }
    const text =
      withheld.length > 0
        ? 'Permissions of {name}: granted {granted}, revoked {revoked}. Skipped because you do not have them: {withheld}'
        : 'Permissions of {name}: granted {granted}, revoked {revoked}'
    flash(request, text, counts)
    return redirectToTab(request, reply, user)
  }

  function redirectToTab(request: FastifyRequest, reply: FastifyReply, user: User) {
    const target = url(request.server, `/${userType.name}/edit/${user.id}?tab=rights`)
    const from = refererPath(request)
    return reply.redirect(from?.split('?')[0] === target.split('?')[0] ? (from as string) : target, 303)
  }
}

function changeRights(request: FastifyRequest, named: User, value: boolean, chosen: (right: Right) => boolean): [User, Right[]] {
  const { db } = request.server
  return writeRecord(request, named, (user) => {
    const rights = rightsOf(db, user.id).filter(chosen)
    if (rights.length === 0) throw notFound()
    for (const { key } of rights) if (!maySetRight(request.actor, key, value)) authorize(anyOf(has(key)), request.actor)
    const wanted = rights.map((right) => ({ ...right, value }))
    setRights(request, user, wanted)
    return [user, wanted]
  })
}
