import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Author, Database } from '../../database/index.ts'
import { needsSecondStep } from '../../http/access/second-factor.ts'
import { carryOut } from '../../http/action.ts'
import { url } from '../../http/request/addresses.ts'
import type { Context } from '../../http/request/context.ts'
import { clientOf, paramOf } from '../../http/request/input.ts'
import { type Template, template } from '../../http/request/template.ts'
import type { FieldOf } from '../../records/fields/index.ts'
import { blankState, type Entry, type Form, formWithoutTable } from '../../records/form/form.ts'
import { formAction } from '../../records/form/form-action.ts'
import { type FormView, viewOfForm } from '../../records/form/view.ts'
import type { HistoryEntry } from '../../records/history/entries.ts'
import { updateAccount } from '../users/accounts.ts'
import { staffFields } from '../users/fields.ts'
import { acceptInvitation, findInvitedUser, findWhoAccepted, introduce, invitationOf } from '../users/invitations/invitation.ts'
import { type User, userLabel } from '../users/user.ts'
import { completeSignIn } from './complete-sign-in.ts'
import { findRelyingParty, type RelyingParty } from './passkeys/relying-party.ts'

interface OneTimeLink {
  path: string
  page: Template<{ title: string; isUsed?: boolean; lead?: string[]; form?: FormView; party?: RelyingParty; address?: string }>
  title: (request: FastifyRequest, user: User) => string
  /** What stands above the form. */
  lead: (request: FastifyRequest, user: User) => string[]
  field: FieldOf<string | null, true>
  find: (db: Database, token: string) => User | undefined
  save: (request: FastifyRequest, user: User, hash: string, author: Author) => string
}

export function oneTimeLinkRoutes(app: FastifyInstance, { path, page, title, lead, field, find, save }: OneTimeLink): void {
  const passwordForm: Form<{ password: FieldOf<string | null, true> }> = formWithoutTable([
    { title: 'Password', fields: { password: field } },
  ])
  const setPassword = formAction({
    form: passwordForm,
    mode: 'create',
    // The current password must not stand in for one that was not sent.
    state: (request) => ({ ...blankState, stored: { ...userOf(request), password: undefined } }),
    save(request, { password }) {
      const user = userOf(request)
      if (!user) return { location: request.url }
      return { location: save(request, user, password, { id: user.id, name: userLabel(user), ...clientOf(request) }) }
    },
    showAgain: (request, reply, _, entry) => show(request, reply, entry),
  })
  app.get(`${path}/:token`, { access: 'public' }, (request, reply) => show(request, reply))
  // Nobody makes the service hash passwords without a link.
  app.post(`${path}/:token`, { access: 'public' }, (request, reply) =>
    userOf(request) ? carryOut(request, reply, setPassword) : show(request, reply),
  )

  function show(request: FastifyRequest, reply: FastifyReply, entry?: Entry) {
    const user = userOf(request)
    // The address contains the token, which other sites must not see.
    reply.header('Referrer-Policy', 'strict-origin')
    if (!user) {
      const acceptedBy = findWhoAccepted(app.db, paramOf(request, 'token'))
      if (request.signIn.sessionId && request.actor.id === acceptedBy) return reply.redirect(url(app, '/'), 303)
      const isUsed = acceptedBy !== undefined
      return reply
        .code(404)
        .page(page, { title: request.t(isUsed ? 'This invitation has been accepted' : 'This link has expired'), isUsed })
    }
    const form = viewOfForm(passwordForm, { ...blankState, focus: 'password' }, request.t, entry)
    const party = needsSecondStep(app, user) ? undefined : findRelyingParty(request)
    return reply.page(page, { title: title(request, user), lead: lead(request, user), form, party, address: request.url })
  }

  function userOf(request: FastifyRequest): User | undefined {
    return find(app.db, paramOf(request, 'token'))
  }
}

/** Sets the password and signs in, unless the user has a second factor, which only the sign-in page asks for. */
export function invitationRoutes(app: FastifyInstance): void {
  app.registry.tellers.push({ entity: 'users', tell: tellOfPerson })
  oneTimeLinkRoutes(app, {
    path: '/invitation',
    page: template('session/invitation.njk'),
    title: ({ t }, { name }) => t('Welcome, {name}', { name }),
    lead: ({ t }, user) => [
      ...introduce(app, t, user),
      t('Set a password for {email}. You will be signed in right away.', { email: user.email }),
    ],
    field: staffFields.password,
    find: findInvitedUser,
    save: (request, user, password, author) => {
      acceptInvitation(app.db, user.id)
      updateAccount(app, user, { password }, author)
      if (needsSecondStep(app, user)) return url(app, '/login?reset=1')
      completeSignIn(request, user.id)
      return url(app, '/')
    },
  })
}

/** The first password of somebody who was invited is told as what it is. */
function tellOfPerson({ server, t }: Context, entry: HistoryEntry) {
  const { record_id, actor_id, at, kind, href = '' } = entry
  const accepted = actor_id === record_id ? invitationOf(server.db, record_id) : undefined
  const isAcceptance = accepted?.state === 'accepted' && Math.abs(accepted.at - at) < 1000
  return { about: [t(kind)], href, ...(isAcceptance && { sentence: t('Invitation accepted') }) }
}
