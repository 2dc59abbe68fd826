import { timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { group } from '../../core/access.ts'
import { fullName } from '../../core/text.ts'
import { findSettings, logSecurityEvent, settings, updateRecord } from '../../database/index.ts'
import { openSession } from '../../http/access/session.ts'
import { action, type Done } from '../../http/action.ts'
import { url } from '../../http/request/addresses.ts'
import { HttpError } from '../../http/request/errors.ts'
import { clientOf, paramOf } from '../../http/request/input.ts'
import { template } from '../../http/request/template.ts'
import { text } from '../../records/fields/index.ts'
import { blankState, type CreateValues, type Entry, formWithoutTable } from '../../records/form/form.ts'
import { formAction } from '../../records/form/form-action.ts'
import { type FormView, viewOfForm } from '../../records/form/view.ts'
import { firstStart } from '../../records/history/actor-name.ts'
import { createAccount } from '../users/accounts.ts'
import { staffFields } from '../users/fields.ts'
import { hasUsers } from '../users/user.ts'

const { lastname, name, email, password } = staffFields

const organization = text('Organization name', { max: 60, hint: 'Shown in the header, page titles, and emails' })

const setupForm = formWithoutTable([{ title: 'First superadministrator', fields: { organization, lastname, name, email, password } }])

const setupPage = template<{ title: string; form: FormView }>('session/setup.njk')

export async function setupRoutes(app: FastifyInstance, { setupToken }: { setupToken: string }): Promise<void> {
  app.get('/setup/:token', { access: 'public' }, (request, reply) => show(request, reply))
  app.post(
    '/setup/:token',
    action(
      { access: 'public' },
      formAction({
        form: setupForm,
        mode: 'create',
        prepare: checkToken,
        state: () => blankState,
        save: createFirstUser,
        showAgain: (request, reply, _, entry) => show(request, reply, entry),
      }),
    ),
  )

  function show(request: FastifyRequest, reply: FastifyReply, entry?: Entry) {
    checkToken(request)
    return reply.page(setupPage, {
      title: request.t('Set up the cabinet'),
      form: viewOfForm(setupForm, { ...blankState, focus: 'organization' }, request.t, entry),
    })
  }

  function checkToken(request: FastifyRequest): void {
    const given = Buffer.from(paramOf(request, 'token'))
    const expected = Buffer.from(setupToken)
    if (given.length !== expected.length || !timingSafeEqual(given, expected) || hasUsers(request.server.db)) throw linkRefused()
  }
}

function createFirstUser(request: FastifyRequest, { organization, ...values }: CreateValues<typeof setupForm>): Done {
  if (hasUsers(request.server.db)) throw linkRefused()
  const { db } = request.server
  const author = { id: null, name: firstStart, ...clientOf(request) }
  if (organization) updateRecord(db, settings, findSettings(db), { name: organization }, organization, author)
  const id = createAccount(db, group.administrator, { ...values, superadmin: true }, author)
  logSecurityEvent(db, { event: 'set-up', author: { ...author, id, name: fullName(values) } })
  openSession(request, id)
  return { location: url(request.server, '/') }
}

const linkRefused = () => new HttpError(404, 'This setup link is wrong or already used. Copy it from what the server has printed.')
