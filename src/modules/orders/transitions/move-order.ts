import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Plan, planTransition, type StepFacts, type StepProblem } from '../../../core/plan-transition.ts'
import { mayPerform, statusById, type Transition, type Workflow } from '../../../core/transition-rules.ts'
import { LimitReached, limited } from '../../../web/access/rate-limit.ts'
import { performOnce } from '../../../web/action.ts'
import { url } from '../../../web/addresses.ts'
import type { Context } from '../../../web/context.ts'
import { forbidden, HttpError } from '../../../web/errors.ts'
import { isValid } from '../../../web/form/form.ts'
import { readForm } from '../../../web/form/read.ts'
import type { Sent } from '../../../web/form/sent.ts'
import { readSubmittedForm, statusOf } from '../../../web/form/submit.ts'
import { parseId } from '../../../web/input.ts'
import { SentOtherwise } from '../../../web/submissions/idempotency.ts'
import { type Payment, reportPayment } from '../../ledger/payment.ts'
import { loadWorkflow } from '../../workflow/load.ts'
import { findOrder, type Order } from '../order.ts'
import { limitReports } from '../payments/limit-reports.ts'
import { applyPlan } from './apply-plan.ts'
import { problemElsewhere, problemsOfForm, whyRefused } from './describe-problems.ts'
import { stepFacts } from './step-facts.ts'
import { type TransitionAttempt, transitionForm, transitionFormState } from './step-form.ts'

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

export function performTransition({ address, rejected, done }: TransitionReplies) {
  return (request: FastifyRequest, reply: FastifyReply, order: Order) => {
    try {
      moveNamedOrder(request, order, readSubmittedForm(request), address)
    } catch (error) {
      if (!(error instanceof TransitionRejected)) throw error
      const { status, problem } = error.attempt
      if (problem instanceof LimitReached) limited(reply, problem)
      return rejected(request, reply.code(status), findOrder(request.server.db, order.id) ?? order, error.attempt)
    }
    return done(request, reply, order)
  }
}

/**
 * Performs the transition that the body of a request names, once for each key.
 * @throws TransitionRejected when the order has moved on or something is missing, HttpError when this person may not
 */
export function moveNamedOrder(request: FastifyRequest, order: Order, sent: Sent, address: (order: Order) => string): void {
  const { db } = request.server
  const transitionNow = () => findTransition(loadWorkflow(db), sent.texts.get('transition_id'))
  try {
    const move = (current: Order) => {
      moveOrder(request, current, transitionNow(), sent, { undoable: true })
      return { location: url(request.server, address(current)) }
    }
    performOnce(request, order, move, sent.texts)
  } catch (error) {
    if (!(error instanceof SentOtherwise)) throw error
    // What was typed, where the same form has moved the order already.
    const transition = transitionNow()
    const entry = readForm(transitionForm(transition), transitionFormState(request, order, transition), sent)
    throw new TransitionRejected({ status: 409, transition, entry })
  }
}

export function findTransition({ transitions }: Workflow, named: string | null | undefined): Transition {
  const id = parseId(named)
  const transition = transitions.find((one) => one.id === id)
  if (!transition) throw new HttpError(422, 'This transition no longer exists. The workflow may have changed.')
  return transition
}

/**
 * Performs a transition of one order with what was submitted for it. Call it inside `write`.
 * @throws HttpError when this person may not, TransitionRejected when the order has moved on or something is missing
 */
export function moveOrder(context: Context, order: Order, transition: Transition, sent: Sent, { undoable }: { undoable: boolean }): void {
  if (!mayPerform(transition, context.actor, order)) throw new HttpError(403, whyRefused(context, transition))
  const facts = stepFacts(context, order, loadWorkflow(context.server.db))
  const entry = readForm(transitionForm(transition), transitionFormState(context, order, transition, facts), sent)
  const plan = planTransition(order, transition, entry.values, facts)
  if (Array.isArray(plan) || !isValid(entry)) throw rejection(context, order, { transition, entry }, Array.isArray(plan) ? plan : [], facts)
  const payment = plan.payment && report(context, order, plan.payment, { transition, entry })
  applyPlan(context, order, plan, { payment, undoable })
}

type Tried = Pick<TransitionAttempt, 'transition' | 'entry'>

function rejection(
  context: Context,
  order: Order,
  { transition, entry }: Tried,
  problems: readonly StepProblem[],
  facts: StepFacts,
): TransitionRejected | HttpError {
  if (problems.some(({ kind }) => kind === 'moved')) return new TransitionRejected({ status: 409, transition, entry })
  if (problems.some(({ kind }) => kind === 'keeps_prices')) return forbidden('You cannot set prices.')
  const errors = { ...entry.errors, ...problemsOfForm(order, problems, facts), ...entry.errors }
  const problem = problemElsewhere(context, order, problems, facts)
  return new TransitionRejected({ status: statusOf({ ...entry, errors }), transition, entry: { ...entry, errors }, problem })
}

/** @throws TransitionRejected when a limit is met, or the amount is too large */
function report(context: Context, order: Order, payment: NonNullable<Plan['payment']>, tried: Tried): Payment {
  try {
    limitReports(context, order)
    return reportPayment(context.server.db, { ...payment, order_id: order.id }, context.author)
  } catch (error) {
    if (!(error instanceof HttpError)) throw error
    throw new TransitionRejected({ ...tried, status: error.status, problem: error })
  }
}

/** The message that an order has got its current status. */
export function describeMove(
  { server: { db }, language }: Context,
  { id }: Order,
): [text: string, params: Record<string, string | number>] {
  const status = statusById(loadWorkflow(db, language), findOrder(db, id)?.status_id)?.name ?? ''
  return ['Order #{number} moved to {status}', { number: id, status }]
}
