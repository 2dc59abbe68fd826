import type { PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server'
import { and, eq, getTableColumns } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import * as z from 'zod'
import { type Database, logRepeatedEvent, logSecurityEvent, passkeys, users, write } from '../../../database/index.ts'
import { tooManyAttempts } from '../../../http/access/rate-limit.ts'
import { HttpError } from '../../../http/request/errors.ts'
import { clientOf } from '../../../http/request/input.ts'
import { parseBody } from '../../../records/form/json.ts'
import type { User } from '../../users/user.ts'
import { type Attempt, attemptOf, findWait, recordSuccess } from '../sign-in.ts'
import { rememberChallenge, takeChallenge } from './challenge.ts'
import { type Passkey, passkeysOf } from './passkey.ts'
import { type RelyingParty, requireRelyingParty } from './relying-party.ts'

const base64url = z.string().regex(/^[\w-]+$/)

const assertion = z.object({
  id: base64url.max(1400),
  rawId: base64url,
  type: z.literal('public-key'),
  response: z.object({
    clientDataJSON: base64url,
    authenticatorData: base64url,
    signature: base64url,
    userHandle: z.string().nullish(),
  }),
  next: z.string().default(''),
})

type Purpose = 'sign-in' | 'confirmation'

/** @param user whose passkeys are asked for; anybody's if not given */
export async function assertionOptions(
  request: FastifyRequest,
  purpose: Purpose,
  user?: User,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { server } = request
  const party = requireRelyingParty(request)
  const { generateAuthenticationOptions } = await import('@simplewebauthn/server')
  const allowed = user && passkeysOf(server.db, user.id)
  const options = await generateAuthenticationOptions({
    rpID: party.id,
    userVerification: 'required',
    allowCredentials: allowed?.map(({ credential_id, transports }) => ({ id: credential_id, transports })),
  })
  rememberChallenge(request, { value: options.challenge, purpose, userId: user?.id ?? null })
  return options
}

interface Assertion {
  user: User
  passkey: Passkey
  next: string
}

/**
 * Verifies the answer of a passkey and performs `work` in the transaction that counts the signature.
 * @throws LimitReached after too many failures, and HttpError 422, which does not say what was wrong: an unknown passkey, a deactivated account, a wrong signature …
 */
export async function withAssertion<T>(request: FastifyRequest, purpose: Purpose, work: (assertion: Assertion) => T): Promise<T> {
  const { db } = request.server
  const party = requireRelyingParty(request)
  const response = parseBody(request, assertion)
  const named = findCredential(db, response.id)
  const attempt = attemptOf(request, named?.user.email ?? '')
  refuseTooMany(request, attempt, named?.user)
  const challenge = takeChallenge(request, purpose)
  const expected = challenge && (challenge.userId === null || challenge.userId === named?.user.id)
  const counter = expected && named ? await verifySignature(response, challenge.value, party, named.passkey) : undefined
  const done = counter !== undefined && write(db, () => countSignature(request, attempt, { ...response, counter }, work))
  if (done) return done.result
  logSecurityEvent(db, { event: 'refused', author: stranger(request), user: named?.user, detail: 'passkey' })
  throw new HttpError(422, 'This passkey was not accepted. Use your password or another passkey.')
}

function refuseTooMany(request: FastifyRequest, attempt: Attempt, user: User | undefined): void {
  const { db } = request.server
  const wait = findWait(db, attempt)
  if (wait === undefined) return
  logRepeatedEvent(db, { event: 'locked-out', author: stranger(request), user, detail: 'passkey' })
  throw tooManyAttempts(wait)
}

const stranger = (request: FastifyRequest) => ({ id: null, name: '', ...clientOf(request) })

async function verifySignature(
  response: z.infer<typeof assertion>,
  expectedChallenge: string,
  party: RelyingParty,
  { credential_id, public_key, user_handle }: Passkey,
): Promise<number | undefined> {
  const { userHandle } = response.response
  if (userHandle && userHandle !== user_handle) return undefined
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: { ...response, response: { ...response.response, userHandle: userHandle ?? undefined }, clientExtensionResults: {} },
      expectedChallenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      // The counter is judged in the transaction that stores it.
      credential: { id: credential_id, publicKey: Buffer.from(public_key, 'base64url'), counter: 0 },
      requireUserVerification: true,
    })
    return verified ? authenticationInfo.newCounter : undefined
  } catch {
    // The library throws for whatever is wrong with an answer.
    return undefined
  }
}

/** Synced passkeys always send zero; for others a counter that does not rise tells that the key was copied. */
const isCopied = (stored: number, counter: number) => stored > 0 && counter <= stored

function countSignature<T>(
  request: FastifyRequest,
  attempt: Attempt,
  { id, counter, next }: { id: string; counter: number; next: string },
  work: (assertion: Assertion) => T,
): { result: T } | undefined {
  const { db } = request.server
  // While the signature was verified, the passkey or its person may have gone.
  const assertion = findCredential(db, id)
  if (!assertion) return undefined
  const { passkey, user } = assertion
  if (isCopied(passkey.counter, counter)) {
    const detail = `passkey ${passkey.name}: counter ${counter} after ${passkey.counter}`
    logSecurityEvent(db, { event: 'refused', author: stranger(request), user, detail })
    return undefined
  }
  db.update(passkeys).set({ counter, last_used_at: Date.now() }).where(eq(passkeys.id, passkey.id)).run()
  recordSuccess(db, attempt)
  return { result: work({ ...assertion, next }) }
}

/** The passkey with this credential id, as long as its person may sign in. */
function findCredential(db: Database, credentialId: string): { passkey: Passkey; user: User } | undefined {
  const active = and(eq(users.id, passkeys.user_id), eq(users.active, true))
  const columns = { passkey: getTableColumns(passkeys), user: getTableColumns(users) }
  return db.select(columns).from(passkeys).innerJoin(users, active).where(eq(passkeys.credential_id, credentialId)).get()
}
