import type { Group } from '../../../core/access.ts'
import { countHit } from '../../../http/access/rate-limit.ts'
import { publicUrl, url } from '../../../http/request/addresses.ts'
import type { Context } from '../../../http/request/context.ts'
import { forbidden, HttpError } from '../../../http/request/errors.ts'
import { organizationName } from '../../../http/request/organization.ts'
import { deliverMail, mailFailure } from '../../../http/send-mail.ts'
import { translator } from '../../../i18n/translate.ts'
import type { ImportPart } from '../../../records/kind/registry.ts'
import { maySetCredentials, realUserId } from '../access.ts'
import { grantedKeys } from '../rights/rights.ts'
import type { User } from '../user.ts'
import type { UserType } from '../user-type.ts'
import { createInvitation, findInvitedUser, introduce } from './invitation.ts'

/**
 * Invites somebody who has an account. Call it inside `write`.
 * @throws HttpError
 */
export function inviteUser(context: Context, user: User): void {
  const { server, actor } = context
  if (!maySetCredentials(actor, grantedKeys(server.db, user.id)))
    throw forbidden('You cannot invite someone with more permissions than you have.')
  if (!user.active) throw new HttpError(422, 'Activate the user first.')
  sendInvitation(context, user)
}

/** Of a mailbox, as for reset links. */
const hourlyLimit = { limit: 5, window: 3600_000 }

/**
 * Creates an invitation and emails it after the transaction, or keeps its link to show. Call it inside `write`.
 * @throws LimitReached where the same mailbox was invited too often
 */
export function sendInvitation(context: Context, user: User): void {
  const { server: app } = context
  if (app.sendMail)
    countHit(
      app.db,
      `invitation to ${user.email.toLowerCase()}`,
      hourlyLimit,
      'You can invite somebody up to {max} times an hour. Try again after {time}.',
    )
  const token = createInvitation(app.db, user, context.author)
  const link = publicUrl(app, `/invitation/${token}`)
  if (!app.sendMail) linksOf(context).set(user.id, { token, link })
  // Later, since the transaction may still fail.
  else setImmediate(() => mailInvitation(context, user, token, link))
}

function mailInvitation({ server: app, language }: Context, user: User, token: string, link: string): void {
  if (!findInvitedUser(app.db, token)) return
  const t = translator(user.language ?? language)
  const organization = organizationName(app, t)
  const text = [introduce(app, t, user).join('\n'), t('Open this link within 7 days to set your password. It works once:'), link].join(
    '\n\n',
  )
  const mail = { to: user.email, subject: t('Invitation to {organization}', { organization }), text }
  deliverMail(app, mail, AbortSignal.timeout(300_000)).catch((error) => app.log.error(mailFailure(error), 'an invitation was not sent'))
}

interface PendingLink {
  token: string
  link: string
}

/** By who has invited and who was invited: links wait here, and not in the database, until they are shown. */
const pendingLinks = new Map<number, Map<number, PendingLink>>()

function linksOf({ actor }: Context): Map<number, PendingLink> {
  const links = pendingLinks.get(realUserId(actor)) ?? new Map<number, PendingLink>()
  pendingLinks.set(realUserId(actor), links)
  return links
}

/** The link of somebody, once. */
export function takeLink(context: Context, userId: number): string | undefined {
  const link = workingLink(context, userId)
  linksOf(context).delete(userId)
  return link
}

/** The links that whoever asks has made for these people and nobody has used. */
export function waitingLinks(context: Context, { find }: UserType): { user: User; link: string }[] {
  return [...linksOf(context).keys()].flatMap((id) => {
    const user = find(context.server.db, id)
    const link = user && workingLink(context, id)
    return link ? [{ user, link }] : []
  })
}

/** Where they can be downloaded, if there are any. */
export function linksAddress(context: Context, userType: UserType): string | undefined {
  return waitingLinks(context, userType).length > 0 ? url(context.server, `/${userType.name}/invite/links`) : undefined
}

/** How whom an import adds is invited. */
export function invitationOfNew(group: Group): ImportPart['invitation'] {
  return { field: 'invite', links: (context) => linksAddress(context, context.server.registry.userTypes.get(group) as UserType) }
}

/** Not of an invitation that was revoked, renewed or used meanwhile. */
function workingLink(context: Context, userId: number): string | undefined {
  const kept = linksOf(context).get(userId)
  return kept && findInvitedUser(context.server.db, kept.token) ? kept.link : undefined
}
