import type { FastifyInstance } from 'fastify'
import { allOf, anyOf, inOwnName, superadministrator } from '../../../core/access.ts'
import { requireRecentPassword } from '../../../web/access/policy-hook.ts'
import { onRecord, writeRecord } from '../../../web/access/record-routes.ts'
import { redirectToTab } from '../../users/redirect-to-tab.ts'
import { removePasskeys } from '../passkeys/passkey.ts'
import { removeFactor } from './factor.ts'

const mayReset = allOf(anyOf(superadministrator), anyOf(inOwnName))

export async function secondFactorResetRoutes(app: FastifyInstance): Promise<void> {
  for (const { name, find } of app.userTypes.values())
    app.post(
      `/${name}/edit/:id/factor/reset`,
      onRecord({ access: mayReset, record: find }, (request, reply, user) => {
        requireRecentPassword(request)
        writeRecord(request, user, (current) => {
          removeFactor(app, current, request.author)
          removePasskeys(app, current, request.author)
        })
        return redirectToTab(request, reply, user, 'sessions', 'Two-step verification of {name} is off, passkeys are removed.')
      }),
    )
}
