import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { countHit, networkOf } from '../../http/access/rate-limit.ts'
import { carryOut } from '../../http/action.ts'
import { publicUrl, url } from '../../http/request/addresses.ts'
import { clientOf, queryOf } from '../../http/request/input.ts'
import { template } from '../../http/request/template.ts'
import { email, password } from '../../records/fields/index.ts'
import { type Entry, formWithoutTable } from '../../records/form/form.ts'
import { formSteps } from '../../records/form/steps.ts'
import { type FormView, viewOfForm } from '../../records/form/view.ts'
import { updateAccount } from '../users/accounts.ts'
import { blankState, oneTimeLinkRoutes } from './one-time-links.ts'
import { createResetMailer, findUserByResetToken } from './reset-mail.ts'
import { clearAttempts } from './sign-in-attempts.ts'

const resetRequestForm = formWithoutTable([
  { title: 'Account', fields: { email: email('Email', { required: true, autocomplete: 'username' }) } },
])

const forgotPage = template<{ title: string; possible: boolean; sent: boolean; form: FormView }>('session/forgot.njk')

const newPassword = password('New password', { required: true, autocomplete: 'new-password', hint: '8 to 256 characters' })

const requestLimit = { limit: 20, window: 3600_000 }

export function passwordResetRoutes(app: FastifyInstance): void {
  const sendResetLinks = createResetMailer(app)
  const here = url(app, '/password/forgot')
  /** The answer and its timing do not reveal whether the address has an account. */
  const requestReset = formSteps({
    form: resetRequestForm,
    mode: 'create',
    state: () => blankState,
    save(request, values) {
      countHit(app.db, `reset from ${networkOf(request.ip)}`, requestLimit, 'Too many attempts. Try again after {time}.')
      const address = publicUrl(app, '/password/reset/')
      sendResetLinks({ email: values.email, address, language: request.language, client: clientOf(request) })
      return { location: `${here}?sent=1` }
    },
    showAgain: (request, reply, _, entry) => showResetRequest(request, reply, entry),
  })
  app.get('/password/forgot', { access: 'public' }, (request, reply) => showResetRequest(request, reply))
  app.post('/password/forgot', { access: 'public' }, (request, reply) =>
    app.sendMail ? carryOut(request, reply, requestReset) : reply.redirect(here, 303),
  )
  oneTimeLinkRoutes(app, {
    path: '/password/reset',
    page: template('session/reset.njk'),
    title: ({ t }) => t('New password'),
    field: newPassword,
    find: findUserByResetToken,
    save: (request, user, password, author) => {
      updateAccount(app, user, { password }, author)
      clearAttempts(app.db, user.email, networkOf(request.ip))
      return url(app, '/login?reset=1')
    },
  })
}

function showResetRequest(request: FastifyRequest, reply: FastifyReply, entry?: Entry) {
  return reply.page(forgotPage, {
    title: request.t('Forgot your password?'),
    possible: request.server.sendMail !== undefined,
    sent: queryOf(request).has('sent'),
    form: viewOfForm(resetRequestForm, blankState, request.t, entry),
  })
}
