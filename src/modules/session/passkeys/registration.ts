import type { PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/server'
import type { FastifyRequest } from 'fastify'
import * as z from 'zod'
import { firstCharacters, stripControlCharacters } from '../../../core/text.ts'
import { newToken } from '../../../core/tokens.ts'
import { describeUserAgent } from '../../../core/user-agent.ts'
import type { Database } from '../../../database/index.ts'
import { HttpError } from '../../../http/request/errors.ts'
import { organizationName } from '../../../http/request/organization.ts'
import { parseBody } from '../../../records/form/json.ts'
import { type User, userLabel } from '../../users/user.ts'
import { rememberChallenge, takeChallenge } from './challenge.ts'
import { type NewPasskey, passkeysOf } from './passkey.ts'
import { type RelyingParty, requireRelyingParty } from './relying-party.ts'

const base64url = z.string().regex(/^[\w-]+$/)

const registration = z.object({
  id: base64url.max(1400),
  rawId: base64url,
  type: z.literal('public-key'),
  response: z.object({
    clientDataJSON: base64url,
    attestationObject: base64url,
    transports: z.array(z.string().max(20)).max(10).default([]),
  }),
  name: z.string().default(''),
  password: z.string().default(''),
})

type Purpose = 'registration' | 'invitation'

export async function registrationOptions(
  request: FastifyRequest,
  user: User,
  purpose: Purpose,
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { server, t } = request
  const party = requireRelyingParty(request)
  const { generateRegistrationOptions } = await import('@simplewebauthn/server')
  const options = await generateRegistrationOptions({
    rpID: party.id,
    rpName: organizationName(server, t),
    userID: Buffer.from(userHandleOf(server.db, user.id), 'base64url'),
    userName: user.email,
    userDisplayName: userLabel(user),
    excludeCredentials: passkeysOf(server.db, user.id).map(({ credential_id, transports }) => ({ id: credential_id, transports })),
    authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
  })
  rememberChallenge(request, { value: options.challenge, purpose, userId: user.id, userHandle: options.user.id })
  return options
}

/** @throws HttpError 422 unless the body answers the challenge that this person was given in this browser */
export async function verifyRegistration(request: FastifyRequest, user: User, purpose: Purpose): Promise<NewPasskey> {
  const party = requireRelyingParty(request)
  const response = parseBody(request, registration)
  const challenge = takeChallenge(request, purpose)
  const credential = challenge?.userId === user.id && (await verify(response, challenge.value, party))
  if (!credential || !challenge?.userHandle) throw new HttpError(422, 'The passkey could not be verified. Try again.')
  return {
    name: passkeyName(request, response.name),
    credential_id: credential.id,
    public_key: Buffer.from(credential.publicKey).toString('base64url'),
    counter: credential.counter,
    transports: response.response.transports,
    user_handle: challenge.userHandle,
  }
}

/** Only the formats that make nobody ask a third party about certificates; `none` is what the options ask for. */
const attestationFormats = ['none', 'packed']

async function verify(response: z.infer<typeof registration>, expectedChallenge: string, { id, origin }: RelyingParty) {
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers')
  try {
    const attestation = decodeAttestationObject(Buffer.from(response.response.attestationObject, 'base64url'))
    if (!attestationFormats.includes(attestation.get('fmt'))) return undefined
    const { registrationInfo } = await verifyRegistrationResponse({
      response: { ...response, clientExtensionResults: {} },
      expectedChallenge,
      expectedOrigin: origin,
      expectedRPID: id,
      requireUserVerification: true,
    })
    return registrationInfo?.credential
  } catch {
    // The library throws for whatever is wrong with an answer.
    return undefined
  }
}

function passkeyName({ headers, t }: FastifyRequest, typed: string): string {
  const name = stripControlCharacters(typed).trim()
  return firstCharacters(name, 100) || describeUserAgent(headers['user-agent'] ?? '') || t('Passkey')
}

/** Stays the same as long as the person has a passkey. */
function userHandleOf(db: Database, userId: number): string {
  return passkeysOf(db, userId)[0]?.user_handle ?? newToken()
}
