import type { FastifyReply, FastifyRequest } from 'fastify'
import { writeRecord } from '../../../web/access/policy-hook.ts'
import { flash } from '../../../web/flash.ts'
import { authorOf, HttpError, url } from '../../../web/http.ts'
import { bodyOf } from '../../../web/request.ts'
import { findSubmission, recordSubmission } from '../../../web/submissions/idempotency.ts'
import { userLabel } from '../accounts.ts'
import { rightsOf, setRights } from '../rights/rights.ts'
import type { AccessRequest } from './access-request.ts'
import { closeAccessRequests } from './close-requests.ts'

const decisions = new Map<string | null, 'granted' | 'declined'>([
  ['grant', 'granted'],
  ['decline', 'declined'],
])

/** POST /rights/requests/{id}; authorized by the policy hook and again inside the transaction. */
export function decideAccessRequest(request: FastifyRequest, reply: FastifyReply) {
  const body = bodyOf(request)
  const location = url(request.server, '/rights/requests')
  const state = decisions.get(body.get('decision'))
  if (!state) throw new HttpError(422, 'Choose Approve or Decline.')
  const decided = writeRecord(request, (accessRequest: AccessRequest) => {
    if (findSubmission(request, body)) return undefined
    if (accessRequest.state !== 'open') throw new HttpError(409, 'This request has already been decided.')
    applyDecision(request, accessRequest, state)
    recordSubmission(request, body, location)
    return accessRequest
  })
  if (decided) flash(request, messages[state], { name: userLabel(decided.person), right: request.t(decided.name) })
  return reply.redirect(location, 303)
}

function applyDecision(request: FastifyRequest, { person, policy_id }: AccessRequest, state: 'granted' | 'declined'): void {
  const { db } = request.server
  const author = authorOf(request)
  const rights = rightsOf(db, person.id).filter(({ id }) => id === policy_id)
  if (state === 'granted')
    setRights(
      db,
      person,
      rights.map((right) => ({ ...right, value: true })),
      author,
    )
  closeAccessRequests(db, person.id, [policy_id], state, author)
}

const messages = {
  granted: 'Approved: {name} now has "{right}"',
  declined: 'Declined: {name} did not get "{right}"',
}
