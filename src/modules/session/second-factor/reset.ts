import type { FastifyInstance } from 'fastify'
import { allOf, anyOf, inOwnName, superadministrator } from '../../../core/access.ts'
import { requireRecentPassword } from '../../../http/access/recent-password.ts'
import { action } from '../../../http/action.ts'
import { doneAtTab } from '../../users/done-at-tab.ts'
import { removePasskeys } from '../passkeys/passkey.ts'
import { removeFactor } from './factor.ts'

const mayReset = allOf(anyOf(superadministrator), anyOf(inOwnName))

export async function secondFactorResetRoutes(app: FastifyInstance): Promise<void> {
  for (const { name, find } of app.registry.userTypes.values())
    app.post(
      `/${name}/edit/:id/factor/reset`,
      action({ access: mayReset, record: find }, (request, user) => {
        requireRecentPassword(request)
        removeFactor(app, user, request.author)
        removePasskeys(app, user, request.author)
        return doneAtTab(request, user, 'sessions', 'Two-step verification of {name} is off, passkeys are removed.')
      }),
    )
}
