import { and, eq } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import { allows, checkAccess, type Rule } from '../../../core/access.ts'
import { type PolicyKey, policyCatalog } from '../../../core/policies.ts'
import { countCharacters, hasControlCharacters, stripBidiControls } from '../../../core/text.ts'
import { accessRequests, policies } from '../../../database/schema/index.ts'
import { policiesOf } from '../../../web/access/access-descriptions.ts'
import { HttpError, page } from '../../../web/http.ts'
import type { SuggestionProvider } from '../../../web/operations/errors.ts'
import { withoutImpersonation } from '../access.ts'
import { accessRequestsOf } from './access-request.ts'

const noteLimit = 500

export type AccessRequestForm = ReturnType<typeof buildAccessRequestForm>

const suggestionPart = page<{ suggestion: { requestForm: AccessRequestForm } }>('users/access-requests/suggestion.njk')

export function suggestAccessRequest(mayRequest: Rule<never>): SuggestionProvider {
  return (request, { missing, grants }) => {
    if (missing !== 'right' || !allows(mayRequest, request.actor)) return undefined
    const requestForm = buildAccessRequestForm(request, policiesOf(grants))
    return requestForm && { ...suggestionPart, requestForm }
  }
}

export function buildAccessRequestForm(
  { server, actor }: FastifyRequest,
  keys: PolicyKey[],
  typed: { note?: string; error?: string } = {},
) {
  const wanted = keys.filter((key) => !checkAccess(actor, key))
  if (wanted.length === 0 || !allows(withoutImpersonation, actor, undefined)) return undefined
  const openRequests = accessRequestsOf(server.db, actor.id).filter(({ state, key }) => state === 'open' && wanted.includes(key))
  const choices = wanted.filter((key) => !openRequests.some((one) => one.key === key)).map((key) => ({ key, ...policyCatalog[key] }))
  const query = new URLSearchParams(keys.map((key): [string, string] => ['policy_key', key]))
  return { ...typed, choices, openRequests, noteLimit, once: crypto.randomUUID(), query }
}

export function isPolicyKey(text: string): text is PolicyKey {
  return Object.hasOwn(policyCatalog, text)
}

/** Line breaks count as one character, as in browsers. */
export function readNote(text: string | null): { note: string; error?: string } {
  const note = stripBidiControls(text ?? '')
    .replaceAll('\r\n', '\n')
    .trim()
  if (hasControlCharacters(note)) return { note, error: 'Remove unsupported characters.' }
  return countCharacters(note) > noteLimit ? { note, error: 'Up to {max} characters.' } : { note }
}

export function saveAccessRequest({ server: { db }, actor }: FastifyRequest, key: PolicyKey, note: string): string {
  if (checkAccess(actor, key)) return 'You already have "{right}".'
  const policy = db.select().from(policies).where(eq(policies.key, key)).get()
  if (!policy) throw new HttpError(422, 'This permission does not exist.')
  const same = and(eq(accessRequests.user_id, actor.id), eq(accessRequests.policy_id, policy.id), eq(accessRequests.state, 'open'))
  if (db.select().from(accessRequests).where(same).get()) return 'You already requested "{right}". Awaiting decision.'
  db.insert(accessRequests).values({ user_id: actor.id, policy_id: policy.id, note, created_at: Date.now() }).run()
  return 'Access requested: "{right}". You will get it once someone approves.'
}
