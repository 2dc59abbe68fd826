import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { write } from '../../database/open.ts'
import { hasSecondFactor } from '../../web/access/second-factor.ts'
import { password } from '../../web/form/fields.ts'
import { type Entry, type FormPage, form } from '../../web/form/form.ts'
import { submit } from '../../web/form/submit.ts'
import { type FormView, presentForm } from '../../web/form/view.ts'
import { clientOf, url } from '../../web/http.ts'
import { page } from '../../web/view/page.ts'
import { type User, updateAccount, userLabel } from '../users/accounts.ts'
import { acceptInvitation, findInvitedUser } from '../users/invitations/invitation.ts'
import { completeSignIn } from './complete-sign-in.ts'

const invitationForm = form({
  name: 'invitation',
  groups: [
    {
      title: 'Password',
      fields: { password: password('Password', { required: true, autocomplete: 'new-password', hint: '8 to 256 characters' }) },
    },
  ],
})

const invitationPage = page<{ title: string; email?: string; form?: FormView }>('session/invitation.njk')

const formState: FormPage = { mode: 'create', present: {}, choices: {} }

export async function invitationRoutes(app: FastifyInstance): Promise<void> {
  app.get('/invitation/:token', { access: 'public' }, (request, reply) => showInvitation(request, reply))
  app.post('/invitation/:token', { access: 'public' }, accept)
}

function showInvitation(request: FastifyRequest, reply: FastifyReply, entry?: Entry) {
  const user = findInvitedUser(request.server.db, tokenOf(request))
  // The address contains the token, which other sites must not see.
  reply.header('Referrer-Policy', 'strict-origin')
  if (!user) return reply.code(404).page(invitationPage, { title: request.t('This link has expired') })
  const title = request.t('Welcome, {name}', { name: user.name })
  return reply.page(invitationPage, { title, email: user.email, form: presentForm(invitationForm, formState, request.t, entry) })
}

/** Sets the password and signs in, unless the user has a second factor, which only the sign-in page asks for. */
function accept(request: FastifyRequest, reply: FastifyReply) {
  const { db } = request.server
  if (!findInvitedUser(db, tokenOf(request))) return showInvitation(request, reply)
  let user: User | undefined
  return submit(request, reply, {
    form: invitationForm,
    mode: 'create',
    page: () => formState,
    transaction: (work) =>
      write(db, () => {
        user = findInvitedUser(db, tokenOf(request))
        if (!user) return { location: request.url, othersFields: [] }
        const { password: _, ...person } = user
        return work({ ...formState, present: person })
      }),
    save: (values) => setFirstPassword(request, user as User, values.password),
    saved: () => undefined,
    rerender: (entry) => showInvitation(request, reply, entry),
  })
}

function setFirstPassword(request: FastifyRequest, user: User, hash: string): string {
  const { server: app } = request
  const author = { id: user.id, name: userLabel(user), ...clientOf(request) }
  acceptInvitation(app.db, user.id)
  updateAccount(app, user, { password: hash }, author)
  if (hasSecondFactor(app.db)(user.id)) return url(app, '/login?reset=1')
  completeSignIn(request, user.id)
  return url(app, '/')
}

const tokenOf = (request: FastifyRequest) => (request.params as { token: string }).token
