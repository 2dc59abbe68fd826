import type { FastifyInstance } from 'fastify'
import { allOf, allows, anyOf, superadministrator } from '../../../core/access.ts'
import { requireRecentPassword } from '../../../http/access/recent-password.ts'
import { action, type Done } from '../../../http/action.ts'
import { url } from '../../../http/request/addresses.ts'
import type { Context } from '../../../http/request/context.ts'
import { template } from '../../../http/request/template.ts'
import { type CardFrame, cardPart, type Tab } from '../../../records/kind/card.ts'
import { exceptSelf, type UserFacts, withoutImpersonation } from '../access.ts'
import { doneAtTab } from '../done-at-tab.ts'
import type { User } from '../user.ts'
import type { UserType } from '../user-type.ts'
import { invitationOf, revokeInvitation } from './invitation.ts'
import { inviteUser, takeLink } from './send-invitation.ts'

interface InvitationTab {
  invitation?: ReturnType<typeof invitationOf>
  invitationPath: string
  active: boolean
  link?: string
  /** Where invitations learn to go by email, for those who may open it. */
  mailSetup: string | undefined
  /** Whether there is a link that was shown before. */
  isHidden: boolean
  /** Where somebody who has invited goes on. */
  addPath: string | undefined
  listPath: string | undefined
}

const invitationPage = template<CardFrame & InvitationTab>('users/invitation-tab.njk')

export function mayInvite(userType: UserType) {
  return allOf<UserFacts>(userType.may.edit, exceptSelf, withoutImpersonation)
}

export function invitationTab(userType: UserType): Tab<User> {
  return {
    name: 'invitation',
    label: 'Invitation',
    icon: 'mail',
    rule: mayInvite(userType),
    ...cardPart(invitationPage, (context: Context, { id, active }: User) => {
      const { server } = context
      const invitation = invitationOf(server.db, id)
      const link = takeLink(context, id)
      return {
        invitation,
        invitationPath: url(server, `/${userType.name}/edit/${id}/invitation`),
        active,
        link,
        mailSetup: allows(anyOf(superadministrator), context.actor) ? url(server, '/settings?tab=environment#mail') : undefined,
        isHidden: invitation?.state === 'invited' && !link && !server.sendMail,
        addPath: allows(userType.may.add, context.actor) ? url(server, `/${userType.name}/add`) : undefined,
        listPath: allows(userType.may.list, context.actor) ? url(server, `/${userType.name}`) : undefined,
      }
    }),
  }
}

export function invitationRoutes(app: FastifyInstance, userType: UserType): void {
  const options = { access: mayInvite(userType), record: userType.find }
  const path = `/${userType.name}/edit/:id/invitation`
  app.post(path, action(options, invite))
  app.post(`${path}/revoke`, action(options, revoke))
}

function invite(context: Context, user: User): Done {
  requireRecentPassword(context)
  inviteUser(context, user)
  return doneAtTab(context, user, 'invitation', context.server.sendMail ? 'Invitation for {name} sent' : 'Invitation for {name} created')
}

function revoke(context: Context, user: User): Done {
  revokeInvitation(context.server.db, user.id)
  return doneAtTab(context, user, 'invitation', 'Invitation for {name} revoked')
}
