import type { FastifyReply, FastifyRequest } from 'fastify'
import { performOnce } from '../../web/action.ts'
import { url } from '../../web/addresses.ts'
import { findOrder, type Order } from '../orders/order.ts'
import { conflictMessage } from '../orders/transitions/history.ts'
import { findTransition, moveOrder as moveOrderNow, TransitionRejected } from '../orders/transitions/move-order.ts'
import { transitionForm, transitionFormState } from '../orders/transitions/step-form.ts'
import { loadWorkflow } from '../workflow/load.ts'
import { jsonObject } from './json-body.ts'
import { ApiProblem, invalid } from './problem.ts'
import { readJson, refuseHidden } from './read-json.ts'
import { orderResource } from './resources/orders.ts'
import { jsonOf } from './save.ts'
import { sendJson } from './send-json.ts'

/** Moves an order as the step of its page would: `transition_id`, and the fields that the transition requires. */
export function moveOrder(request: FastifyRequest, reply: FastifyReply, order: Order): FastifyReply {
  const { db } = request.server
  const transition = findTransition(loadWorkflow(db), readTransitionId(request))
  const sent = readJson(request, transitionForm(transition), 'edit', ['transition_id'])
  refuseHidden(request, transitionFormState(request, order, transition))
  const move = (current: Order) => {
    moveOrderNow(request, current, transition, sent, { undoable: true })
    return { location: url(request.server, `/api/v1/orders/${current.id}`) }
  }
  try {
    performOnce(request, order, (current) => move(current), sent.texts)
  } catch (error) {
    if (!(error instanceof TransitionRejected)) throw error
    const { status, entry, problem } = error.attempt
    if (problem && Object.keys(entry.errors).length === 0) throw new ApiProblem(status, request.t(problem.message, problem.params))
    if (status !== 409) throw invalid(request, entry.errors, status)
    throw new ApiProblem(409, conflictMessage(request, findOrder(db, order.id) ?? order))
  }
  return sendJson(reply, jsonOf(request, orderResource, order.id))
}

/** Read before the rest of the body, whose fields depend on it. */
function readTransitionId(request: FastifyRequest): string {
  const { transition_id: id } = jsonObject(request)
  if (Number.isSafeInteger(id)) return String(id)
  throw invalid(request, { transition_id: { message: id === undefined || id === null ? 'Required' : 'This value is of another type.' } })
}
