import type { FastifyReply, FastifyRequest } from 'fastify'
import type { PaymentKind } from '../../core/payments.ts'
import { mayPerform, statusById, type Transition, type Workflow } from '../../core/transition-rules.ts'
import { LimitReached, limited } from '../../web/access/rate-limit.ts'
import { writeRecord } from '../../web/access/record-routes.ts'
import type { Acting } from '../../web/acting.ts'
import { readForm } from '../../web/form/read.ts'
import type { SubmittedForm } from '../../web/form/read-value.ts'
import { readSubmittedForm, statusOf } from '../../web/form/submit.ts'
import { HttpError, parseId, url } from '../../web/http.ts'
import { SentOtherwise, withIdempotencyKey } from '../../web/submissions/idempotency.ts'
import { today } from '../../web/view/format.ts'
import { type Payment, reportPayment } from '../ledger/payment.ts'
import { loadWorkflow } from '../workflow/load.ts'
import { changeStatus, type StatusChange } from './change-status.ts'
import { whyRefused } from './describe-step.ts'
import { findOrder, type Order } from './order.ts'
import { limitReports } from './payments/limit-reports.ts'
import { type TransitionAttempt, transitionForm, transitionFormState } from './present-transitions.ts'
import { findOutdatedPrices, renewPrices } from './pricing/outdated-prices.ts'
import { findStepProblem } from './step-requirements.ts'

export class TransitionRejected extends Error {
  readonly attempt: TransitionAttempt
  constructor(attempt: TransitionAttempt) {
    super('show the card again')
    this.attempt = attempt
  }
}

export interface TransitionReplies {
  address: (order: Order) => string
  rejected: (request: FastifyRequest, reply: FastifyReply, order: Order, attempt: TransitionAttempt) => FastifyReply
  done: (request: FastifyRequest, reply: FastifyReply, order: Order) => FastifyReply
}

/**
 * Performs the transition that the body of a request names, once for each key.
 * @throws TransitionRejected when the order has moved on or something is missing, HttpError when this person may not
 */
export function moveNamedOrder(request: FastifyRequest, order: Order, address: (order: Order) => string): void {
  const sent = readSubmittedForm(request)
  try {
    writeRecord(request, order, (current) =>
      withIdempotencyKey(request, sent.body, () => {
        applyTransition(request, current, sent)
        return { location: url(request.server, address(current)) }
      }),
    )
  } catch (error) {
    if (error instanceof SentOtherwise) throw new TransitionRejected(attemptAgain(request, order, sent))
    throw error
  }
}

/** What was typed, where the same form has moved the order already. */
function attemptAgain(acting: Acting, order: Order, sent: SubmittedForm): TransitionAttempt {
  const transition = findTransition(loadWorkflow(acting.server.db), sent.body)
  const entry = readForm(transitionForm(transition), transitionFormState(acting, order, transition), sent)
  return { status: 409, transition, entry }
}

export function performTransition({ address, rejected, done }: TransitionReplies) {
  return (request: FastifyRequest, reply: FastifyReply, order: Order) => {
    try {
      moveNamedOrder(request, order, address)
    } catch (error) {
      if (!(error instanceof TransitionRejected)) throw error
      const { status, problem } = error.attempt
      if (problem instanceof LimitReached) limited(reply, problem)
      return rejected(request, reply.code(status), findOrder(request.server.db, order.id) ?? order, error.attempt)
    }
    return done(request, reply, order)
  }
}

/** The message that an order has got its current status. */
export function describeMove({ server: { db }, language }: Acting, { id }: Order): [text: string, params: Record<string, string | number>] {
  const status = statusById(loadWorkflow(db, language), findOrder(db, id)?.status_id)?.name ?? ''
  return ['Order #{number} moved to {status}', { number: id, status }]
}

function applyTransition(acting: Acting, order: Order, sent: SubmittedForm): void {
  const workflow = loadWorkflow(acting.server.db)
  moveOrder(acting, order, { workflow, transition: findTransition(workflow, sent.body), undoable: true }, sent)
}

/**
 * Performs a transition of one order with what was submitted for it. Call it inside `write`.
 * @throws HttpError when this person may not, TransitionRejected when the order has moved on or something is missing
 */
export function moveOrder(
  acting: Acting,
  order: Order,
  { workflow, transition, undoable }: Pick<StatusChange, 'workflow' | 'undoable'> & { transition: Transition },
  sent: SubmittedForm,
): void {
  if (!mayPerform(transition, acting.actor, order)) throw new HttpError(403, whyRefused(acting, transition))
  const entry = readForm(transitionForm(transition), transitionFormState(acting, order, transition), sent)
  if (transition.parent_status_id !== order.status_id) throw new TransitionRejected({ status: 409, transition, entry })
  const outdated = findOutdatedPrices(acting.server.db, order)
  const problem = findStepProblem(acting, { order, transition, entry, outdated })
  if (problem || Object.keys(entry.errors).length > 0) throw new TransitionRejected({ status: statusOf(entry), transition, entry, problem })
  const to = statusById(workflow, transition.child_status_id)
  if (!to) throw new Error(`transition ${transition.id} leads nowhere`)
  const { note, prices, exceed_reason, amount, date, ...filled } = entry.values
  const priced = outdated && prices === 'renew' ? renewPrices(acting, order, outdated) : order
  const kind = (filled.payment ?? order.payment ?? 'transfer') as PaymentKind
  const payment = amount ? reportWithStep(acting, order, { kind, amount, date: date ?? today() }, { transition, entry }) : undefined
  const change = { workflow, to, transition, filled, payment, comment: note, exceed_reason, undoable }
  changeStatus(acting.server, priced, change, acting.author)
}

/** @throws TransitionRejected when a limit is met, or the amount is too large */
function reportWithStep(
  acting: Acting,
  order: Order,
  payment: Pick<Payment, 'kind' | 'amount' | 'date'>,
  step: Pick<TransitionAttempt, 'transition' | 'entry'>,
): Payment {
  try {
    limitReports(acting, order)
    return reportPayment(acting.server.db, { ...payment, order_id: order.id }, acting.author)
  } catch (error) {
    if (!(error instanceof HttpError)) throw error
    throw new TransitionRejected({ ...step, status: error.status, problem: error })
  }
}

export function findTransition({ transitions }: Workflow, body: URLSearchParams): Transition {
  const id = parseId(body.get('transition_id'))
  const transition = transitions.find((one) => one.id === id)
  if (!transition) throw new HttpError(422, 'This transition no longer exists. The workflow may have changed.')
  return transition
}
