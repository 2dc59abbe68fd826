import type { FastifyRequest } from 'fastify'
import { url } from '../../http/request/addresses.ts'
import { jsonObject } from '../../records/api/json-body.ts'
import { ApiProblem, invalid } from '../../records/api/problem.ts'
import { readShownJson } from '../../records/api/read-json.ts'
import { jsonOf } from '../../records/api/save.ts'
import { sendJson } from '../../records/api/send-json.ts'
import { isValid } from '../../records/form/form.ts'
import type { Sent } from '../../records/form/sent.ts'
import { orderResource } from '../orders/resource.ts'
import { conflictMessage } from '../orders/transitions/history.ts'
import { findTransition, type TransitionAction, TransitionRejected, transitionAction } from '../orders/transitions/move-order.ts'
import { transitionForm } from '../orders/transitions/step-form.ts'

/** Moves an order as the step of its page would: `transition_id`, and the fields that the transition requires. */
export const moveAction: TransitionAction = {
  ...transitionAction((request, { id }) => ({ location: url(request.server, `/api/v1/orders/${id}`) }), readStep),
  answer: (request, reply, { id }) => sendJson(reply, jsonOf(request, orderResource, id)),
  showAgain(request, _, order, problem) {
    if (!(problem instanceof TransitionRejected)) throw problem
    const { status, entry, problem: reason } = problem.attempt
    if (reason && isValid(entry)) throw new ApiProblem(status, request.t(reason))
    if (status !== 409) throw invalid(request, entry.errors, status)
    throw new ApiProblem(409, conflictMessage(request, order))
  },
}

function readStep(request: FastifyRequest): Sent {
  const named = new Map([['transition_id', readTransitionId(request)]])
  const transition = findTransition(request, named)
  return readShownJson(request, transitionForm(transition), 'edit', [...named.keys()])
}

/** Read before the rest of the body, whose fields depend on it. */
function readTransitionId(request: FastifyRequest): string {
  const { transition_id: id } = jsonObject(request)
  if (Number.isSafeInteger(id)) return String(id)
  throw invalid(request, { transition_id: { message: id === undefined || id === null ? 'Required' : 'This value is of another type.' } })
}
