import type { FastifyReply, FastifyRequest } from 'fastify'
import { flash } from '../../../web/flash.ts'
import { bodyOf } from '../../../web/form/body.ts'
import { alreadyDone, rememberDone } from '../../../web/form/once.ts'
import { authorOf, HttpError, url } from '../../../web/http.ts'
import { writeRecord } from '../../../web/policy.ts'
import { personLabel } from '../accounts.ts'
import { rightsOf, setRights } from '../rights/policies.ts'
import { closeRequests } from './closing.ts'
import type { RightRequest } from './requests.ts'

const decisions = new Map<string | null, 'granted' | 'declined'>([
  ['grant', 'granted'],
  ['decline', 'declined'],
])

/** POST /rights/requests/{id}: judged by the hook, and once more inside the transaction that sets the right. */
export function decideRequest(request: FastifyRequest, reply: FastifyReply) {
  const body = bodyOf(request)
  const location = url(request.server, '/rights/requests')
  const state = decisions.get(body.get('decision'))
  if (!state) throw new HttpError(422, 'Grant or decline, nothing else.')
  const decided = writeRecord(request, (asked: RightRequest) => {
    if (alreadyDone(request, body)) return undefined
    if (asked.state !== 'open') throw new HttpError(409, 'Somebody has decided this request meanwhile.')
    carryOut(request, asked, state)
    rememberDone(request, body, location)
    return asked
  })
  if (decided) flash(request, messages[state], { name: personLabel(decided.person), right: request.t(decided.name) })
  return reply.redirect(location, 303)
}

function carryOut(request: FastifyRequest, { person, policy_id }: RightRequest, state: 'granted' | 'declined'): void {
  const { db } = request.server
  const author = authorOf(request)
  const rights = rightsOf(db, person.id).filter(({ id }) => id === policy_id)
  if (state === 'granted') setRights(db, person, rights, true, author)
  closeRequests(db, person.id, [policy_id], state, author)
}

const messages = {
  granted: '{name} has the right «{right}» now.',
  declined: 'The request of {name} for the right «{right}» was declined.',
}
