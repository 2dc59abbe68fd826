import type { FastifyRequest } from 'fastify'
import type { Transition } from '../../core/transition-rules.ts'
import type { ActionSteps } from '../../http/action.ts'
import { url } from '../../http/request/addresses.ts'
import { jsonObject } from '../../records/api/json-body.ts'
import { ApiProblem, invalid } from '../../records/api/problem.ts'
import { readJson, refuseHidden } from '../../records/api/read-json.ts'
import { jsonOf } from '../../records/api/save.ts'
import { sendJson } from '../../records/api/send-json.ts'
import { isValid } from '../../records/form/form.ts'
import type { Sent } from '../../records/form/sent.ts'
import { makePapers, type Paper } from '../orders/documents/issue.ts'
import type { Order } from '../orders/order.ts'
import { orderResource } from '../orders/resource.ts'
import { conflictMessage } from '../orders/transitions/history.ts'
import { aroundStep, draftsOf, findTransition, moveOrder, TransitionRejected } from '../orders/transitions/move-order.ts'
import { transitionForm, transitionFormState } from '../orders/transitions/step-form.ts'
import { loadWorkflow } from '../workflow/load.ts'

/** Moves an order as the step of its page would: `transition_id`, and the fields that the transition requires. */
export const moveSteps: ActionSteps<Order, Paper[], Step> = {
  read: readStep,
  around: (request, attempt, { transition }) => aroundStep(request.server, transition, attempt),
  prepare(request, order, { transition, sent }) {
    refuseHidden(request, transitionFormState(request, order, transition))
    return makePapers(request, draftsOf(request, order, transition, sent))
  },
  perform(request, order, papers, { transition, sent }) {
    moveOrder(request, order, transition, sent, { undoable: true, papers })
    return { location: url(request.server, `/api/v1/orders/${order.id}`) }
  },
  answer: (request, reply, { id }) => sendJson(reply, jsonOf(request, orderResource, id)),
  showAgain(request, _, order, problem) {
    if (!(problem instanceof TransitionRejected)) throw problem
    const { status, entry, problem: reason } = problem.attempt
    if (reason && isValid(entry)) throw new ApiProblem(status, request.t(reason.message, reason.params))
    if (status !== 409) throw invalid(request, entry.errors, status)
    throw new ApiProblem(409, conflictMessage(request, order))
  },
}

interface Step extends Pick<Sent, 'texts'> {
  transition: Transition
  sent: Sent
}

function readStep(request: FastifyRequest): Step {
  const transition = findTransition(loadWorkflow(request.server.db), readTransitionId(request))
  const sent = readJson(request, transitionForm(transition), 'edit', ['transition_id'])
  return { transition, sent, texts: sent.texts }
}

/** Read before the rest of the body, whose fields depend on it. */
function readTransitionId(request: FastifyRequest): string {
  const { transition_id: id } = jsonObject(request)
  if (Number.isSafeInteger(id)) return String(id)
  throw invalid(request, { transition_id: { message: id === undefined || id === null ? 'Required' : 'This value is of another type.' } })
}
