import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { anyOf, has } from '../../../core/access.ts'
import type { PolicyKey } from '../../../core/policies.ts'
import { bodyOf } from '../../../web/form/body.ts'
import { switchValue } from '../../../web/form/switch.ts'
import { authorOf, notFound, url, wantsFragment } from '../../../web/http.ts'
import { decide, writeRecord } from '../../../web/policy.ts'
import type { User } from '../accounts.ts'
import type { Kind } from '../kind.ts'
import { maySet, rightsRules } from './access.ts'
import { type Right, rightsOf, setRights } from './policies.ts'

/** One switch of the tab Rights, and a whole category at once. */
export function rightsRoutes(app: FastifyInstance, kind: Kind, policy: PolicyKey): void {
  const access = rightsRules(kind, policy).edit
  const record = kind.find
  app.post(`/${kind.name}/edit/:id/rights/:key`, { access, record }, setOne)
  app.post(`/${kind.name}/edit/:id/rights`, { access, record }, setCategory)

  function setOne(request: FastifyRequest, reply: FastifyReply) {
    const { key } = request.params as { key: string }
    const value = switchValue(bodyOf(request).get('value'))
    const [user, rights] = change(request, value, (right) => right.key === key)
    if (!wantsFragment(request)) return backToTab(request, reply, user)
    const right = { ...(rights[0] as Right), value }
    const locked = !maySet(request.actor, right.key, !value)
    return reply.page('people/right-cell.njk', { right, locked, rightsPath: url(request.server, `/${kind.name}/edit/${user.id}/rights`) })
  }

  function setCategory(request: FastifyRequest, reply: FastifyReply) {
    const body = bodyOf(request)
    const value = switchValue(body.get('value'))
    const [user] = change(request, value, (right) => right.category === body.get('category'))
    return backToTab(request, reply, user)
  }

  function backToTab(request: FastifyRequest, reply: FastifyReply, user: User) {
    const target = url(request.server, `/${kind.name}/edit/${user.id}?tab=rights`)
    const from = new URL(request.headers.referer ?? target, 'http://cabinet.invalid')
    return reply.redirect(from.pathname === target.split('?')[0] ? from.pathname + from.search : target, 303)
  }
}

/** Sets the chosen policies, all or none: one that the actor does not hold refuses the whole. */
function change(request: FastifyRequest, value: boolean, chosen: (right: Right) => boolean): [User, Right[]] {
  const { db } = request.server
  return writeRecord(request, (user: User) => {
    const rights = rightsOf(db, user.id).filter(chosen)
    if (rights.length === 0) throw notFound()
    for (const { key } of rights) if (!maySet(request.actor, key, value)) decide(anyOf(has(key)), request.actor)
    setRights(db, user, rights, value, authorOf(request))
    return [user, rights]
  })
}
