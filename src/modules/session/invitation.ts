import type { FastifyInstance } from 'fastify'
import { hasSecondFactor } from '../../web/access/second-factor.ts'
import { page, url } from '../../web/http.ts'
import { updateAccount } from '../users/accounts.ts'
import { staffFields } from '../users/fields.ts'
import { acceptInvitation, findInvitedUser } from '../users/invitations/invitation.ts'
import { completeSignIn } from './complete-sign-in.ts'
import { oneTimeLinkRoutes } from './one-time-links.ts'

/** Sets the password and signs in, unless the user has a second factor, which only the sign-in page asks for. */
export function invitationRoutes(app: FastifyInstance): void {
  oneTimeLinkRoutes(app, {
    path: '/invitation',
    page: page('session/invitation.njk'),
    title: ({ t }, { name }) => t('Welcome, {name}', { name }),
    field: staffFields.password,
    find: findInvitedUser,
    save: (request, user, password, author) => {
      acceptInvitation(app.db, user.id)
      updateAccount(app, user, { password }, author)
      if (hasSecondFactor(app.db)(user.id)) return url(app, '/login?reset=1')
      completeSignIn(request, user.id)
      return url(app, '/')
    },
  })
}
