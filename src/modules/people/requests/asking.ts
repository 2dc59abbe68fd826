import { and, eq } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import { allows, checkAccess, type Rule } from '../../../core/access.ts'
import { type PolicyKey, policyCatalogue } from '../../../core/policies.ts'
import { countCharacters, holdsControls, withoutTurns } from '../../../core/text.ts'
import { write } from '../../../database/open.ts'
import { policies, rightRequests } from '../../../database/schema/index.ts'
import type { Remedy } from '../../../web/errors.ts'
import { alreadyDone, rememberDone } from '../../../web/form/once.ts'
import { HttpError, type Person } from '../../../web/http.ts'
import { policiesOf } from '../../../web/reasons.ts'
import { actingAsOneself } from '../access.ts'
import { requestsOf } from './requests.ts'

export const noteLimit = 500

/** Offers somebody who lacks a right to ask for it; records of others are no matter of rights. */
export function offerToAsk(mayAsk: Rule<never>): Remedy {
  return (request, { missing, ways }) => {
    if (missing !== 'right' || !allows(mayAsk, request.actor)) return undefined
    const ask = askForm(request, policiesOf(ways))
    return ask && { template: 'people/requests/offer.njk', ask }
  }
}

/** The form that asks for one of these rights, and what of them is asked for already; nothing when there is nothing to ask. */
export function askForm({ server, actor }: FastifyRequest, keys: PolicyKey[], typed: { note?: string; error?: string } = {}) {
  if (!allows(actingAsOneself, actor, undefined)) return undefined
  const open = requestsOf(server.db, actor.id).filter(({ state }) => state === 'open')
  const wanted = keys.filter((key) => !checkAccess(actor, key))
  const asked = open.filter(({ key }) => wanted.includes(key))
  const choices = wanted.filter((key) => !asked.some((one) => one.key === key)).map((key) => ({ key, ...policyCatalogue[key] }))
  return wanted.length > 0
    ? { ...typed, choices, asked, noteLimit, once: crypto.randomUUID(), query: new URLSearchParams(query(keys)) }
    : undefined
}

const query = (keys: PolicyKey[]): [string, string][] => keys.map((key) => ['policy_key', key])

/** @throws HttpError 422 for a key that no policy has */
export function policyKey(text: string | null): PolicyKey {
  if (!text || !Object.hasOwn(policyCatalogue, text)) throw new HttpError(422, 'There is no such right.')
  return text as PolicyKey
}

/** Line breaks count as one character, as browsers count them. */
export function readNote(text: string | null): { note: string; error?: string } {
  const note = withoutTurns(text ?? '')
    .replaceAll('\r\n', '\n')
    .trim()
  if (holdsControls(note)) return { note, error: 'There are characters in it that cannot be stored.' }
  return countCharacters(note) > noteLimit ? { note, error: 'At most {max} characters.' } : { note }
}

export type Asked = 'asked' | 'open' | 'held' | 'repeated'

/** Stores a request, unless the right is there or asked for already. */
export function storeRequest(request: FastifyRequest, body: URLSearchParams, key: PolicyKey, note: string, location: string): Asked {
  const { db } = request.server
  return write(db, () => {
    if (alreadyDone(request, body)) return 'repeated'
    rememberDone(request, body, location)
    if (checkAccess(request.actor, key)) return 'held'
    return insertUnlessOpen(request, request.actor, key, note)
  })
}

function insertUnlessOpen({ server: { db } }: FastifyRequest, { id: user_id }: Person, key: PolicyKey, note: string): Asked {
  const policy = db.select().from(policies).where(eq(policies.key, key)).get()
  if (!policy) throw new HttpError(422, 'There is no such right.')
  const same = and(eq(rightRequests.user_id, user_id), eq(rightRequests.policy_id, policy.id), eq(rightRequests.state, 'open'))
  if (db.select({ id: rightRequests.id }).from(rightRequests).where(same).get()) return 'open'
  db.insert(rightRequests).values({ user_id, policy_id: policy.id, note, created_at: Date.now() }).run()
  return 'asked'
}
