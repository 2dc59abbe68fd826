import type { FastifyInstance, FastifyRequest } from 'fastify'
import { anyOf, has } from '../../../core/access.ts'
import type { PolicyKey } from '../../../core/policies.ts'
import { authorize } from '../../../http/access/authorize.ts'
import { action, type Done } from '../../../http/action.ts'
import { refererPath, url } from '../../../http/request/addresses.ts'
import type { Context } from '../../../http/request/context.ts'
import { notFound } from '../../../http/request/errors.ts'
import { bodyOf, paramOf } from '../../../http/request/input.ts'
import { template } from '../../../http/request/template.ts'
import { parseSwitch } from '../../../records/fields/index.ts'
import { type User, userLabel } from '../user.ts'
import type { UserType } from '../user-type.ts'
import { maySetRight, rightsRules } from './access.ts'
import { diffRights, readChosenKeys } from './permission-sets.ts'
import { type Right, rightsOf, setRights } from './rights.ts'
import { countGranted } from './tab.ts'

const rightCell = template<{ right: Right; locked: boolean; rightsPath: string; group: ReturnType<typeof countGranted> }>(
  'users/right-answer.njk',
)

export function rightsRoutes(app: FastifyInstance, userType: UserType, policy: PolicyKey): void {
  const path = `/${userType.name}/edit/:id/rights`
  const rule = { access: rightsRules(userType, policy).edit, record: userType.find }
  app.post(`${path}/:key`, action(rule, setRight))
  app.post(path, action(rule, saveRights))

  function setRight(request: FastifyRequest, user: User): Done {
    const key = paramOf(request, 'key')
    const value = parseSwitch(bodyOf(request).get('value'))
    const [right] = changeRights(request, user, value, (right) => right.key === key) as [Right]
    return { location: tabAddress(request, user), fragment: (reply) => reply.page(rightCell, viewOfRight(request, user, right)) }
  }

  function viewOfRight({ server, actor }: Context, user: User, right: Right) {
    return {
      right,
      locked: !maySetRight(actor, right.key, !right.value),
      group: countGranted(rightsOf(server.db, user.id), right.category),
      rightsPath: url(server, `/${userType.name}/edit/${user.id}/rights`),
    }
  }

  function saveRights(request: FastifyRequest, user: User): Done {
    return bodyOf(request).has('category') ? setCategory(request, user) : replaceRights(request, user)
  }

  function setCategory(request: FastifyRequest, user: User): Done {
    const body = bodyOf(request)
    changeRights(request, user, parseSwitch(body.get('value')), (right) => right.category === body.get('category'))
    return { location: tabAddress(request, user) }
  }

  function replaceRights(request: FastifyRequest, user: User): Done {
    const keys = readChosenKeys(request, userType, bodyOf(request))
    const { granted, revoked, withheld } = diffRights(keys, rightsOf(request.server.db, user.id), request.actor)
    setRights(request, user, [...granted, ...revoked])
    const counts = { name: userLabel(user), granted: granted.length, revoked: revoked.length, withheld: withheld.length }
    const text =
      withheld.length > 0
        ? 'Permissions of {name}: granted {granted}, revoked {revoked}. Skipped because you do not have them: {withheld}'
        : 'Permissions of {name}: granted {granted}, revoked {revoked}'
    return { location: tabAddress(request, user), message: [text, counts] }
  }

  function tabAddress(request: FastifyRequest, user: User): string {
    const target = url(request.server, `/${userType.name}/edit/${user.id}?tab=rights`)
    const from = refererPath(request)
    return from?.split('?')[0] === target.split('?')[0] ? (from as string) : target
  }
}

/** Call it inside `write`. */
function changeRights(context: Context, user: User, value: boolean, chosen: (right: Right) => boolean): Right[] {
  const rights = rightsOf(context.server.db, user.id).filter(chosen)
  if (rights.length === 0) throw notFound()
  for (const { key } of rights) if (!maySetRight(context.actor, key, value)) authorize(anyOf(has(key)), context.actor)
  const wanted = rights.map((right) => ({ ...right, value }))
  setRights(context, user, wanted)
  return wanted
}
