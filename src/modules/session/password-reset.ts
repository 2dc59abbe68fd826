import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { write } from '../../database/open.ts'
import { countHit, networkOf } from '../../web/access/rate-limit.ts'
import { email, password } from '../../web/form/fields.ts'
import { type Entry, type FormPage, form } from '../../web/form/form.ts'
import { submit } from '../../web/form/submit.ts'
import { type FormView, presentForm } from '../../web/form/view.ts'
import { clientOf, HttpError, publicUrl, url } from '../../web/http.ts'
import { queryOf } from '../../web/request.ts'
import { page } from '../../web/view/page.ts'
import { type User, updateAccount, userLabel } from '../users/accounts.ts'
import { findUserByResetToken } from './reset-links.ts'
import { createResetMailer } from './reset-mail.ts'
import { clearAttempts } from './sign-in-attempts.ts'

const resetRequestForm = form({
  name: 'forgot',
  groups: [{ title: 'Account', fields: { email: email('Email', { required: true, autocomplete: 'username' }) } }],
})

const newPassword = password('New password', { required: true, autocomplete: 'new-password', hint: '8 to 256 characters' })
const resetForm = form({ name: 'reset', groups: [{ title: 'Password', fields: { password: newPassword } }] })

const forgotPage = page<{ title: string; possible: boolean; sent: boolean; form: FormView }>('session/forgot.njk')
const resetPasswordPage = page<{ title: string; form?: FormView }>('session/reset.njk')

const formState: FormPage = { mode: 'create', present: {}, choices: {} }

export async function passwordResetRoutes(app: FastifyInstance): Promise<void> {
  const sendResetLinks = createResetMailer(app)
  app.get('/password/forgot', { access: 'public' }, (request, reply) => showResetRequest(request, reply))
  app.post('/password/forgot', { access: 'public' }, requestReset)
  app.get('/password/reset/:token', { access: 'public' }, (request, reply) => showResetForm(request, reply))
  app.post('/password/reset/:token', { access: 'public' }, resetPassword)

  /** The answer and its timing do not reveal whether the address has an account. */
  function requestReset(request: FastifyRequest, reply: FastifyReply) {
    const here = url(app, '/password/forgot')
    if (!app.sendMail) return reply.redirect(here, 303)
    const wait = countHit(app.db, `reset from ${networkOf(request.ip)}`, { limit: 20, window: 3600_000 })
    if (wait) {
      reply.header('Retry-After', String(wait))
      throw new HttpError(429, 'Too many attempts. Try again later.')
    }
    return submit(request, reply, {
      form: resetRequestForm,
      mode: 'create',
      page: () => formState,
      transaction: (work) => work(formState),
      save: (values) => {
        const resetRequest = {
          email: values.email,
          address: publicUrl(app, '/password/reset/'),
          language: request.language,
          client: clientOf(request),
        }
        sendResetLinks(resetRequest)
        return `${here}?sent=1`
      },
      saved: () => undefined,
      rerender: (entry) => showResetRequest(request, reply, entry),
    })
  }
}

function showResetRequest(request: FastifyRequest, reply: FastifyReply, entry?: Entry) {
  return reply.page(forgotPage, {
    title: request.t('Forgot your password?'),
    possible: request.server.sendMail !== undefined,
    sent: queryOf(request).has('sent'),
    form: presentForm(resetRequestForm, formState, request.t, entry),
  })
}

function showResetForm(request: FastifyRequest, reply: FastifyReply, entry?: Entry) {
  if (!findUserByResetToken(request.server.db, tokenOf(request))) return showExpiredLink(request, reply)
  return resetPage(reply, { title: request.t('New password'), form: presentForm(resetForm, formState, request.t, entry) })
}

function showExpiredLink(request: FastifyRequest, reply: FastifyReply) {
  return resetPage(reply.code(404), { title: request.t('This link has expired') })
}

/** Keeps the address, which contains the token, from other pages. */
function resetPage(reply: FastifyReply, data: { title: string; form?: FormView }) {
  return reply.header('Referrer-Policy', 'strict-origin').page(resetPasswordPage, data)
}

function resetPassword(request: FastifyRequest, reply: FastifyReply) {
  const { db } = request.server
  // Nobody makes the service hash passwords without a link.
  if (!findUserByResetToken(db, tokenOf(request))) return showExpiredLink(request, reply)
  let user: User | undefined
  return submit(request, reply, {
    form: resetForm,
    mode: 'create',
    page: () => formState,
    transaction: (work) =>
      write(db, () => {
        user = findUserByResetToken(db, tokenOf(request))
        if (!user) return { location: request.url, othersFields: [] }
        // The current password must not stand in for one that was not sent.
        const { password: _, ...person } = user
        return work({ ...formState, present: person })
      }),
    save: (values) => changePassword(request, user as User, values.password),
    saved: () => undefined,
    rerender: (entry) => showResetForm(request, reply, entry),
  })
}

function changePassword(request: FastifyRequest, user: User, hash: string): string {
  const { db } = request.server
  const author = { id: user.id, name: userLabel(user), ...clientOf(request) }
  updateAccount(request.server, user, { password: hash }, author)
  clearAttempts(db, user.email, networkOf(request.ip))
  return url(request.server, '/login?reset=1')
}

const tokenOf = (request: FastifyRequest) => (request.params as { token: string }).token
