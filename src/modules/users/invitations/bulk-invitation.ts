import { sql } from 'drizzle-orm'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type AnyRule, allOf, allows, ignoringScope } from '../../../core/access.ts'
import { fullName } from '../../../core/text.ts'
import { authorize } from '../../../http/access/authorize.ts'
import { requireRecentPassword } from '../../../http/access/recent-password.ts'
import type { Context } from '../../../http/request/context.ts'
import { HttpError, notFound } from '../../../http/request/errors.ts'
import { template } from '../../../http/request/template.ts'
import { formWithoutTable } from '../../../records/form/form.ts'
import { type BulkFormView, bulkFormRoutes } from '../../../records/list/bulk-form.ts'
import { sheetFormat } from '../../../records/list/export.ts'
import type { List } from '../../../records/list/list.ts'
import { sendSpreadsheet } from '../../../records/spreadsheet/send-spreadsheet.ts'
import { type UserFacts, withoutImpersonation } from '../access.ts'
import { fullNameColumn } from '../full-name.ts'
import { type User, userLabel } from '../user.ts'
import type { UserRow, UserType } from '../user-type.ts'
import { invitationOf } from './invitation.ts'
import { inviteUser, linksAddress, waitingLinks } from './send-invitation.ts'
import { mayInvite } from './tab.ts'

interface BulkInvitationView extends BulkFormView {
  mails: boolean
}

const invitePage = template<BulkInvitationView>('users/bulk-invitation.njk')

const pathOf = ({ name }: UserType) => `/${name}/invite`

const mayInviteSome = (userType: UserType): AnyRule => ignoringScope(mayInvite(userType))

/** Invites the selected people who do not use the cabinet yet. */
export function bulkInvitationRoutes(app: FastifyInstance, userType: UserType, list: List<UserRow>): void {
  const bulk = {
    list,
    path: pathOf(userType),
    label: 'Invite',
    icon: 'mail',
    form: formWithoutTable([]),
    formState: () => ({ mode: 'edit' as const, stored: {}, choices: {} }),
    find: userType.find,
    // Whoever selects everybody may be among them, and is skipped.
    rule: allOf<UserFacts>(userType.may.edit, withoutImpersonation),
    isSensitive: true as const,
    labelOf: userLabel,
    read: () => true,
    missing: 'Nothing selected.',
    change: (context: Context, id: number) => invite(context, userType, id),
    title: 'Invite {count} people',
    done: '{count} people invited',
    refused: '{count} people were not invited:',
    download: (context: Context) => linksAddress(context, userType),
  }
  bulkFormRoutes<User, boolean, BulkInvitationView>(app, bulk, invitePage, ({ server }) => ({ mails: server.sendMail !== undefined }))
  app.get(`${pathOf(userType)}/links`, { access: mayInviteSome(userType), answers: 'spreadsheet' }, sendLinks(userType))
}

/** @throws HttpError for somebody who uses the cabinet already, or whom a single invitation would be refused */
function invite(context: Context, userType: UserType, id: number): void {
  const { server, actor } = context
  const user = userType.find(server.db, id)
  if (!user) throw notFound()
  if (user.last_auth || invitationOf(server.db, id)?.state === 'accepted') throw new HttpError(422, 'Already uses the cabinet.')
  authorize(mayInvite(userType), actor, user)
  inviteUser(context, user)
}

/** The links that nobody has mailed, for whoever has made them. */
function sendLinks(userType: UserType) {
  return (request: FastifyRequest, reply: FastifyReply) => {
    requireRecentPassword(request)
    const links = waitingLinks(request, userType).filter(({ user }) => allows(mayInvite(userType), request.actor, user))
    if (links.length === 0) throw new HttpError(410, 'These links are no longer kept. Invite again to get new ones.')
    const headers: [header: string, width: number][] = [
      [fullNameColumn.label, 40],
      ['Email', 32],
      ['Invitation link', 80],
    ]
    return sendSpreadsheet(request, reply, `${userType.name}_invitations`, {
      name: request.t('Invitation'),
      format: sheetFormat(request),
      columns: headers.map(([header, width]) => ({ header: request.t(header), width })),
      ids: sql`select value from json_each(${JSON.stringify([...links.keys()])})`,
      load: (places) => places.flatMap((place) => links[place] ?? []).map(({ user, link }) => [fullName(user), user.email, link]),
    })
  }
}
