import { eq } from 'drizzle-orm'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import * as z from 'zod'
import { anyOf, everyone, inOwnName, owned } from '../../core/access.ts'
import { describeUserAgent } from '../../core/user-agent.ts'
import { passkeys } from '../../database/index.ts'
import { reauthorize } from '../../http/access/policy-hook.ts'
import { requireRecentPassword } from '../../http/access/recent-password.ts'
import { action, type Done } from '../../http/action.ts'
import { url } from '../../http/request/addresses.ts'
import type { Context } from '../../http/request/context.ts'
import { HttpError, ValidationFailed } from '../../http/request/errors.ts'
import type { FindRecord } from '../../http/request/route-policy.ts'
import { acceptJson, parseBody } from '../../records/form/json.ts'
import { verifyCurrentPassword } from '../session/current-password.ts'
import { addPasskey, type Passkey, passkeysOf, removePasskeys } from '../session/passkeys/passkey.ts'
import { registrationOptions, verifyRegistration } from '../session/passkeys/registration.ts'
import { findRelyingParty } from '../session/passkeys/relying-party.ts'
import { findSelf, noPassword, type User } from '../users/user.ts'

const ownPasskey = owned<Passkey>(
  'your own passkeys, unless you are impersonating someone',
  (actor, passkey) => passkey.user_id === actor.id && !actor.impersonator,
)

export function ownPasskeyRoutes(app: FastifyInstance): void {
  app.post('/profile/passkeys/:id/delete', action({ access: anyOf(everyone(ownPasskey)), record: findPasskey }, removePasskey))
  app.register(async (scope) => {
    acceptJson(scope)
    const inPerson = { access: anyOf(inOwnName), answers: 'json', withoutFactor: true } as const
    scope.post('/profile/passkeys/options', inPerson, offerPasskey)
    scope.post('/profile/passkeys', action(inPerson, { prepare: verifyOwnPasskey, perform: savePasskey }))
  })
}

export function viewOfPasskeys(request: FastifyRequest, self: User) {
  const { password } = self
  const kept = isOnlyWayIn(request, self)
  return {
    passkeys: passkeysOf(request.server.db, self.id).map((passkey) => ({ ...passkey, kept: kept ? request.t(onlyWayIn) : undefined })),
    party: findRelyingParty(request),
    deviceName: describeUserAgent(request.headers['user-agent'] ?? ''),
    asksPassword: password !== noPassword,
  }
}

const onlyWayIn = 'Set a password first: without it, this passkey is your only way to sign in.'

/** Whether somebody has one passkey and no password. */
function isOnlyWayIn({ server: { db } }: Context, { id, password }: User): boolean {
  return password === noPassword && passkeysOf(db, id).length === 1
}

async function offerPasskey(request: FastifyRequest) {
  const self = findSelf(request)
  await confirmPassword(request, self)
  reauthorize(request)
  return registrationOptions(request, self, 'registration')
}

const confirmation = z.object({ current_password: z.string().default('') })

async function confirmPassword(request: FastifyRequest, self: User): Promise<void> {
  if (self.password === noPassword) return requireRecentPassword(request)
  const { current_password } = parseBody(request, confirmation)
  if (!current_password) throw new ValidationFailed({ current_password: 'Enter your current password.' })
  if (!(await verifyCurrentPassword(request, self, current_password)))
    throw new ValidationFailed({ current_password: 'Wrong current password.' })
}

const verifyOwnPasskey = (request: FastifyRequest) => verifyRegistration(request, findSelf(request), 'registration')

function savePasskey(context: Context, _: unknown, passkey: Awaited<ReturnType<typeof verifyOwnPasskey>>): Done {
  const { server: app } = context
  addPasskey(app, findSelf(context), passkey, context.author)
  return { location: url(app, '/profile?tab=security'), message: ['Passkey {name} added', { name: passkey.name }] }
}

function removePasskey(context: Context, { id, name }: Passkey): Done {
  const { server: app } = context
  requireRecentPassword(context)
  const self = findSelf(context)
  if (isOnlyWayIn(context, self)) throw new HttpError(422, onlyWayIn)
  removePasskeys(app, self, context.author, id)
  return { location: url(app, '/profile?tab=security'), message: ['Passkey {name} removed', { name }] }
}

const findPasskey: FindRecord<Passkey> = (db, id) => db.select().from(passkeys).where(eq(passkeys.id, id)).get()
