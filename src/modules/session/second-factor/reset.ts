import type { FastifyInstance } from 'fastify'
import { allOf, anyOf, inOwnName, superadministrator } from '../../../core/access.ts'
import { requireRecentPassword, writeRecord } from '../../../web/access/policy-hook.ts'
import { authorOf } from '../../../web/http.ts'
import { redirectToTab, type User } from '../../users/accounts.ts'
import { removeFactor } from './factor.ts'

const mayReset = allOf(anyOf(superadministrator), anyOf(inOwnName))

export async function secondFactorResetRoutes(app: FastifyInstance): Promise<void> {
  for (const { name, find } of app.userTypes.values())
    app.post(`/${name}/edit/:id/factor/reset`, { access: mayReset, record: find }, (request, reply) => {
      requireRecentPassword(request)
      writeRecord(request, (user: User) => removeFactor(app, user, authorOf(request)))
      return redirectToTab(request, reply, 'sessions', 'Two-step verification of {name} is off.')
    })
}
