import type { FastifyInstance } from 'fastify'
import { allOf } from '../../../core/access.ts'
import type { Author } from '../../../database/index.ts'
import { requireRecentPassword } from '../../../http/access/policy-hook.ts'
import { action, type Done } from '../../../http/action.ts'
import { publicUrl, url } from '../../../http/request/addresses.ts'
import type { Context } from '../../../http/request/context.ts'
import { forbidden, HttpError } from '../../../http/request/errors.ts'
import type { FormInput } from '../../../http/request/input.ts'
import { organizationName } from '../../../http/request/organization.ts'
import { template } from '../../../http/request/template.ts'
import { deliverMail, mailFailure } from '../../../http/send-mail.ts'
import { translator } from '../../../i18n/translate.ts'
import { type CardFrame, cardPart, type Tab } from '../../../records/kind/card.ts'
import { exceptSelf, maySetCredentials, type UserFacts, withoutImpersonation } from '../access.ts'
import { doneAtTab } from '../done-at-tab.ts'
import { grantedKeys } from '../rights/rights.ts'
import type { User } from '../user.ts'
import type { UserType } from '../user-type.ts'
import { createInvitation, findInvitedUser, invitationOf, revokeInvitation } from './invitation.ts'

interface InvitationTab {
  invitation?: ReturnType<typeof invitationOf>
  invitationPath: string
  active: boolean
  link?: string
}

const invitationPage = template<CardFrame & InvitationTab>('users/invitation-tab.njk')

function mayInvite(userType: UserType) {
  return allOf<UserFacts>(userType.may.edit, exceptSelf, withoutImpersonation)
}

export function invitationTab(userType: UserType): Tab<User> {
  return {
    name: 'invitation',
    label: 'Invitation',
    rule: mayInvite(userType),
    ...cardPart(invitationPage, (context: Context, { id, active }: User) => ({
      invitation: invitationOf(context.server.db, id),
      invitationPath: url(context.server, `/${userType.name}/edit/${id}/invitation`),
      active,
      link: takeLink(context, id),
    })),
  }
}

export function invitationRoutes(app: FastifyInstance, userType: UserType): void {
  const options = { access: mayInvite(userType), record: userType.find }
  const path = `/${userType.name}/edit/:id/invitation`
  app.post(path, action(options, invite))
  app.post(`${path}/revoke`, action(options, revoke))
}

export function isInviting({ texts }: FormInput): boolean {
  return texts.get('invite') === '1'
}

/** Creates an invitation and emails it after the transaction, or keeps its link to show once. Call it inside `write`. */
export function sendInvitation(context: Context, user: User): void {
  const { server: app } = context
  const token = createInvitation(app.db, user)
  const link = publicUrl(app, `/invitation/${token}`)
  if (!app.sendMail) links.set(linkKey(context.author, user.id), { token, link })
  // Later, since the transaction may still fail.
  else setImmediate(() => mailInvitation(context, user, token, link))
}

function mailInvitation({ server: app, language }: Context, user: User, token: string, link: string): void {
  if (!findInvitedUser(app.db, token)) return
  const t = translator(user.language ?? language)
  const organization = organizationName(app, t)
  const text = [
    t('You have been invited to {organization}.', { organization }),
    t('Open this link within 7 days to set your password. It works once:'),
    link,
  ].join('\n\n')
  const mail = { to: user.email, subject: t('Invitation to {organization}', { organization }), text }
  deliverMail(app, mail, AbortSignal.timeout(300_000)).catch((error) => app.log.error(mailFailure(error), 'an invitation was not sent'))
}

/** Links wait here, and not in the database, until the page after the redirect shows them. */
const links = new Map<string, { token: string; link: string }>()

const linkKey = ({ id, impersonator }: Author, userId: number) => `${impersonator?.id ?? id} ${userId}`

/** Not of an invitation that was revoked or renewed meanwhile. */
function takeLink({ author, server }: Context, userId: number): string | undefined {
  const key = linkKey(author, userId)
  const kept = links.get(key)
  links.delete(key)
  return kept && findInvitedUser(server.db, kept.token) ? kept.link : undefined
}

function invite(context: Context, user: User): Done {
  const { server, actor } = context
  requireRecentPassword(context)
  const held = grantedKeys(server.db, user.id)
  if (!maySetCredentials(actor, held)) throw forbidden('You cannot invite someone with more permissions than you have.')
  if (!user.active) throw new HttpError(422, 'Activate the user first.')
  sendInvitation(context, user)
  return doneAtTab(context, user, 'invitation', server.sendMail ? 'Invitation for {name} sent' : 'Invitation for {name} created')
}

function revoke(context: Context, user: User): Done {
  revokeInvitation(context.server.db, user.id)
  return doneAtTab(context, user, 'invitation', 'Invitation for {name} revoked')
}
