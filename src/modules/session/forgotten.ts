import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { write } from '../../database/open.ts'
import { email, password } from '../../web/form/fields.ts'
import type { Entry, Form, FormPage } from '../../web/form/form.ts'
import { submit } from '../../web/form/submit.ts'
import { viewForm } from '../../web/form/view.ts'
import { publicUrl, url } from '../../web/http.ts'
import { queryOf } from '../../web/list/state.ts'
import { personLabel, type User, updateAccount } from '../people/accounts.ts'
import type { Kind } from '../people/kind.ts'
import { forgetAttempts } from './limits.ts'
import { findByLink } from './reset-links.ts'
import { resetMailer } from './reset-mail.ts'

const askForm: Form = {
  name: 'forgot',
  groups: [{ title: 'Account', fields: { email: email('Email', { required: true, autocomplete: 'username' }) } }],
}

const newPassword = password('New password', { required: true, autocomplete: 'new-password', hint: '8 to 256 characters.' })
const resetForm: Form = { name: 'reset', groups: [{ title: 'Password', fields: { password: newPassword } }] }

const page: FormPage = { mode: 'create', present: {}, choices: {} }

/** A new password for somebody who forgot theirs, by a link in a mail. */
export async function forgottenRoutes(app: FastifyInstance): Promise<void> {
  const mailLinks = resetMailer(app)
  app.get('/password/forgot', { access: 'public' }, (request, reply) => showAsking(request, reply))
  app.post('/password/forgot', { access: 'public' }, ask)
  app.get('/password/reset/:token', { access: 'public' }, (request, reply) => showReset(request, reply))
  app.post('/password/reset/:token', { access: 'public' }, reset)

  /** Answers the same, and as fast, whoever's address it is. */
  function ask(request: FastifyRequest, reply: FastifyReply) {
    const here = url(app, '/password/forgot')
    if (!app.sendMail) return reply.redirect(here, 303)
    return submit(request, reply, {
      form: askForm,
      mode: 'create',
      page: () => page,
      transaction: (work) => work(page),
      save: (values) => {
        const wish = { email: values.email as string, address: publicUrl(app, '/password/reset/'), language: request.language }
        reply.raw.once('finish', () => mailLinks(wish))
        return `${here}?sent=1`
      },
      saved: () => undefined,
      again: (entry) => showAsking(request, reply, entry),
    })
  }
}

function showAsking(request: FastifyRequest, reply: FastifyReply, entry?: Entry) {
  return reply.page('session/forgot.njk', {
    title: request.t('Forgot your password?'),
    possible: request.server.sendMail !== undefined,
    sent: queryOf(request).has('sent'),
    form: viewForm(askForm, page, request.t, entry),
  })
}

function showReset(request: FastifyRequest, reply: FastifyReply, entry?: Entry) {
  if (!findByLink(request.server.db, tokenOf(request))) return showDeadLink(request, reply)
  return resetPage(reply, { title: request.t('A new password'), form: viewForm(resetForm, page, request.t, entry) })
}

function showDeadLink(request: FastifyRequest, reply: FastifyReply) {
  return resetPage(reply.code(404), { title: request.t('This link no longer works') })
}

/** No page or file that this one leads to learns its address, which holds the token. */
function resetPage(reply: FastifyReply, data: Record<string, unknown>) {
  return reply.header('Referrer-Policy', 'strict-origin').page('session/reset.njk', data)
}

function reset(request: FastifyRequest, reply: FastifyReply) {
  const { db } = request.server
  // Nobody makes the service hash passwords without a link.
  if (!findByLink(db, tokenOf(request))) return showDeadLink(request, reply)
  let user: User | undefined
  return submit(request, reply, {
    form: resetForm,
    mode: 'create',
    page: () => page,
    transaction: (work) =>
      write(db, () => {
        user = findByLink(db, tokenOf(request))
        return user ? work(page) : { location: request.url, kept: [] }
      }),
    save: (values) => changePassword(request, user as User, values.password as string),
    saved: () => undefined,
    again: (entry) => showReset(request, reply, entry),
  })
}

/** Ends the person's sessions, and every other link with this one. */
function changePassword(request: FastifyRequest, user: User, hash: string): string {
  const { db, kinds } = request.server
  const author = { id: user.id, name: personLabel(user), address: request.ip }
  updateAccount(db, kinds.get(user.group_id) as Kind, user, { password: hash }, author)
  forgetAttempts(db, user.email, request.ip)
  return url(request.server, '/login?reset=1')
}

const tokenOf = (request: FastifyRequest) => (request.params as { token: string }).token
