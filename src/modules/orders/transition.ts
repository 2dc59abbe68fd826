import type { FastifyReply, FastifyRequest } from 'fastify'
import { mayPerform, missingFields, type Transition, type Workflow } from '../../core/transition.ts'
import { bodyOf } from '../../web/form/body.ts'
import type { Entry } from '../../web/form/form.ts'
import { alreadyDone, rememberDone } from '../../web/form/once.ts'
import { readForm } from '../../web/form/read.ts'
import { sentBy, statusOf } from '../../web/form/submit.ts'
import { authorOf, HttpError, url } from '../../web/http.ts'
import { parseId, writeRecord } from '../../web/policy.ts'
import { loadWorkflow } from '../workflow/load.ts'
import { showAsked, showMoved } from './card.ts'
import type { Order } from './order.ts'
import { enterStatus } from './status-change.ts'
import { stepForm, stepPage, whoMay } from './steps.ts'

/** A transition that cannot be carried out as it was asked for: the card again, with what is missing or what happened meanwhile. */
class NotYet extends Error {
  readonly status: number
  readonly transition: Transition
  readonly entry: Entry
  constructor(status: number, transition: Transition, entry: Entry) {
    super('show the card again')
    this.status = status
    this.transition = transition
    this.entry = entry
  }
}

/** POST of a transition: permission, required fields, forced fields, status, history, notifications, all or nothing. */
export function performTransition(request: FastifyRequest, reply: FastifyReply) {
  const { record, server } = request
  const address = url(server, `/orders/edit/${(record as Order).id}`)
  try {
    writeRecord(request, (order: Order) => step(request, order, address))
  } catch (error) {
    if (!(error instanceof NotYet)) throw error
    return showAsked(request, reply.code(error.status), error)
  }
  return showMoved(request, reply)
}

function step(request: FastifyRequest, order: Order, address: string): void {
  const { server } = request
  const body = bodyOf(request)
  if (alreadyDone(request, body)) return
  const workflow = loadWorkflow(server.db)
  const transition = transitionOf(workflow, body)
  const entry = readForm(stepForm(transition), stepPage(request, order, transition), sentBy(request))
  if (transition.parent_status_id !== order.status_id) throw new NotYet(409, transition, entry)
  refuseOthers(request, transition, order)
  const { note, ...filled } = entry.values
  requireFields(entry, transition, { ...order, ...filled })
  if (Object.keys(entry.errors).length > 0) throw new NotYet(statusOf(entry), transition, entry)
  const to = workflow.statuses.find(({ id }) => id === transition.child_status_id)
  if (!to) throw new Error(`transition ${transition.id} leads nowhere`)
  enterStatus(server, order, { workflow, to, transition, filled, comment: note as string | null }, authorOf(request))
  rememberDone(request, body, address)
}

function refuseOthers(request: FastifyRequest, transition: Transition, order: Order): void {
  if (!mayPerform(transition, request.actor, order))
    throw new HttpError(403, 'Only {who} may do this.', { who: whoMay(request, transition) })
}

function requireFields(entry: Entry, transition: Transition, order: Record<string, unknown>): void {
  for (const name of missingFields(transition, order)) entry.errors[name] ??= { message: 'Please fill this in.' }
}

function transitionOf({ transitions }: Workflow, body: URLSearchParams): Transition {
  const id = parseId(body.get('transition_id'))
  const transition = transitions.find((one) => one.id === id)
  if (!transition) throw new HttpError(422, 'There is no such way onward. The workflow may have been changed.')
  return transition
}
