import type { FastifyInstance, FastifyRequest } from 'fastify'
import * as z from 'zod'
import { anyOf, inOwnName } from '../../../core/access.ts'
import { reauthorize } from '../../../http/access/policy-hook.ts'
import { updateSession } from '../../../http/access/session.ts'
import { safePath, url } from '../../../http/request/addresses.ts'
import type { Context } from '../../../http/request/context.ts'
import { forbidden, HttpError } from '../../../http/request/errors.ts'
import { acceptJson, parseBody } from '../../../records/form/json.ts'
import { findSelf } from '../../users/user.ts'
import { completeSignIn } from '../complete-sign-in.ts'
import { findPendingFactor } from '../second-factor/sign-in.ts'
import { assertionOptions, withAssertion } from './assertion.ts'

/** Signing in with a passkey, alone or as the second step, and confirming one's identity with it. */
export async function passkeySignInRoutes(app: FastifyInstance): Promise<void> {
  acceptJson(app)
  const publicly = { access: 'public', answers: 'json' } as const
  app.post('/login/passkey/options', publicly, offerSignIn)
  app.post('/login/passkey', publicly, signInWithPasskey)
  const inPerson = { access: anyOf(inOwnName), answers: 'json' } as const
  app.post('/confirm-identity/passkey/options', inPerson, (request) => assertionOptions(request, 'confirmation', findSelf(request)))
  app.post('/confirm-identity/passkey', inPerson, confirmWithPasskey)
}

const signInStep = z.object({ second_step: z.literal('1').optional() })

/** As the second step only a passkey of the person whose password was right will do. */
function offerSignIn(request: FastifyRequest) {
  const { second_step } = parseBody(request, signInStep)
  return assertionOptions(request, 'sign-in', second_step && findPendingFactor(request)?.user)
}

async function signInWithPasskey(request: FastifyRequest) {
  if (request.signIn.impersonating) throw forbidden('Not available while you are impersonating someone.')
  return withAssertion(request, 'sign-in', ({ user, passkey, next }) => {
    completeSignIn(request, user.id, `passkey ${passkey.name}`)
    return answerWith(request, next)
  })
}

async function confirmWithPasskey(request: FastifyRequest) {
  return withAssertion(request, 'confirmation', ({ user, next }) => {
    reauthorize(request)
    if (user.id !== request.actor.id) throw new HttpError(422, 'This passkey was not accepted. Use your password or another passkey.')
    updateSession(request, { proved_at: Date.now() })
    return answerWith(request, next)
  })
}

function answerWith({ server }: Context, next: string) {
  return { location: safePath(server, next, url(server, '/')) }
}
