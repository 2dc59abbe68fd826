import type { FastifyInstance, FastifyRequest } from 'fastify'
import * as z from 'zod'
import { hashPassword } from '../../../http/access/password-hashing.ts'
import { needsSecondStep } from '../../../http/access/second-factor.ts'
import { action, type Done } from '../../../http/action.ts'
import { url } from '../../../http/request/addresses.ts'
import { notFound, ValidationFailed } from '../../../http/request/errors.ts'
import { clientOf, paramOf } from '../../../http/request/input.ts'
import { blankState, formWithoutTable } from '../../../records/form/form.ts'
import { acceptJson, parseBody } from '../../../records/form/json.ts'
import { readForm } from '../../../records/form/read.ts'
import { sentInputs } from '../../../records/form/sent.ts'
import { updateAccount } from '../../users/accounts.ts'
import { staffFields } from '../../users/fields.ts'
import { acceptInvitation, findInvitedUser } from '../../users/invitations/invitation.ts'
import { type User, userLabel } from '../../users/user.ts'
import { completeSignIn } from '../complete-sign-in.ts'
import { addPasskey } from './passkey.ts'
import { registrationOptions, verifyRegistration } from './registration.ts'

/** Accepting an invitation with a passkey, with or without a password beside it. */
export async function passkeyInvitationRoutes(app: FastifyInstance): Promise<void> {
  acceptJson(app)
  const publicly = { access: 'public', answers: 'json' } as const
  app.post('/invitation/:token/passkey/options', publicly, offerPasskey)
  app.post('/invitation/:token/passkey', action(publicly, { prepare: readAcceptance, perform: acceptWithPasskey }))
}

function offerPasskey(request: FastifyRequest) {
  const user = findInvited(request)
  readPassword(request, user)
  return registrationOptions(request, user, 'invitation')
}

async function readAcceptance(request: FastifyRequest) {
  const user = findInvited(request)
  const password = readPassword(request, user)
  const passkey = await verifyRegistration(request, user, 'invitation')
  return { passkey, hash: password && (await hashPassword(password)) }
}

function acceptWithPasskey(request: FastifyRequest, _: unknown, { passkey, hash }: Awaited<ReturnType<typeof readAcceptance>>): Done {
  const { server: app } = request
  const invited = findInvited(request)
  const author = { id: invited.id, name: userLabel(invited), ...clientOf(request) }
  acceptInvitation(app.db, invited.id)
  if (hash) updateAccount(app, invited, { password: hash }, author)
  addPasskey(app, invited, passkey, author)
  completeSignIn(request, invited.id, `passkey ${passkey.name}`)
  return { location: url(app, '/') }
}

/** An invitation stands for a password, not for a second step. */
function findInvited(request: FastifyRequest): User {
  const { server } = request
  const user = findInvitedUser(server.db, paramOf(request, 'token'))
  if (!user || needsSecondStep(server, user)) throw notFound()
  return user
}

const invitationBody = z.object({ password: z.string().default('') })

const passwordForm = formWithoutTable([{ title: 'Password', fields: { password: staffFields.password } }])

function readPassword(request: FastifyRequest, user: User): string {
  const { password } = parseBody(request, invitationBody)
  if (password === '') return ''
  const sent = sentInputs({ body: new URLSearchParams({ password }), uploaded: () => false })
  const { errors } = readForm(passwordForm, { ...blankState, stored: { ...user, password: undefined } }, sent)
  if (errors.password) throw new ValidationFailed({ password: errors.password.message })
  return password
}
