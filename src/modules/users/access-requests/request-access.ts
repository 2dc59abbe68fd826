import { and, eq } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import { allows, checkAccess, type Rule } from '../../../core/access.ts'
import { type PolicyKey, policyCatalog } from '../../../core/policies.ts'
import { countCharacters, hasControlCharacters, stripBidiControls } from '../../../core/text.ts'
import { write } from '../../../database/open.ts'
import { accessRequests, policies } from '../../../database/schema/index.ts'
import { policiesOf } from '../../../web/access/access-descriptions.ts'
import { HttpError, type Person } from '../../../web/http.ts'
import type { SuggestionProvider } from '../../../web/operations/errors.ts'
import { findSubmission, recordSubmission } from '../../../web/submissions/idempotency.ts'
import { page } from '../../../web/view/page.ts'
import { withoutImpersonation } from '../access.ts'
import { accessRequestsOf } from './access-request.ts'

export const noteLimit = 500

const suggestionPart = page<{ suggestion: { requestForm: ReturnType<typeof buildAccessRequestForm> } }>(
  'users/access-requests/suggestion.njk',
)

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
  if (!allows(withoutImpersonation, actor, undefined)) return undefined
  const open = accessRequestsOf(server.db, actor.id).filter(({ state }) => state === 'open')
  const wanted = keys.filter((key) => !checkAccess(actor, key))
  const openRequests = open.filter(({ key }) => wanted.includes(key))
  const choices = wanted.filter((key) => !openRequests.some((one) => one.key === key)).map((key) => ({ key, ...policyCatalog[key] }))
  return wanted.length > 0
    ? { ...typed, choices, openRequests, noteLimit, once: crypto.randomUUID(), query: new URLSearchParams(policyKeyParams(keys)) }
    : undefined
}

const policyKeyParams = (keys: PolicyKey[]): [string, string][] => keys.map((key) => ['policy_key', key])

export function parsePolicyKey(text: string | null): PolicyKey {
  if (!text || !Object.hasOwn(policyCatalog, text)) throw new HttpError(422, 'This permission does not exist.')
  return text as PolicyKey
}

/** Line breaks count as one character, as in browsers. */
export function readNote(text: string | null): { note: string; error?: string } {
  const note = stripBidiControls(text ?? '')
    .replaceAll('\r\n', '\n')
    .trim()
  if (hasControlCharacters(note)) return { note, error: 'Remove unsupported characters.' }
  return countCharacters(note) > noteLimit ? { note, error: 'Up to {max} characters.' } : { note }
}

export type AccessRequestOutcome = 'requested' | 'open' | 'held' | 'repeated'

export function saveAccessRequest(
  request: FastifyRequest,
  body: URLSearchParams,
  key: PolicyKey,
  note: string,
  location: string,
): AccessRequestOutcome {
  const { db } = request.server
  return write(db, () => {
    if (findSubmission(request, body)) return 'repeated'
    recordSubmission(request, body, location)
    if (checkAccess(request.actor, key)) return 'held'
    return insertUnlessOpen(request, request.actor, key, note)
  })
}

function insertUnlessOpen({ server: { db } }: FastifyRequest, { id: user_id }: Person, key: PolicyKey, note: string): AccessRequestOutcome {
  const policy = db.select().from(policies).where(eq(policies.key, key)).get()
  if (!policy) throw new HttpError(422, 'This permission does not exist.')
  const same = and(eq(accessRequests.user_id, user_id), eq(accessRequests.policy_id, policy.id), eq(accessRequests.state, 'open'))
  if (db.select({ id: accessRequests.id }).from(accessRequests).where(same).get()) return 'open'
  db.insert(accessRequests).values({ user_id, policy_id: policy.id, note, created_at: Date.now() }).run()
  return 'requested'
}
