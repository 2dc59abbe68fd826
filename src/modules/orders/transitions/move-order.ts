import type { FastifyRequest } from 'fastify'
import { type Plan, planTransition, type StepFacts, type StepProblem } from '../../../core/plan-transition.ts'
import { statusById, type Transition } from '../../../core/transition-rules.ts'
import type { ActionParts, Done } from '../../../http/action.ts'
import type { Context } from '../../../http/request/context.ts'
import { forbidden, HttpError } from '../../../http/request/errors.ts'
import { parseId } from '../../../http/request/input.ts'
import type { SentTexts } from '../../../http/submissions/idempotency.ts'
import type { Language } from '../../../i18n/translate.ts'
import { type Entry, isValid } from '../../../records/form/form.ts'
import { keepsTyped, statusOf } from '../../../records/form/form-action.ts'
import { readForm } from '../../../records/form/read.ts'
import { readSubmittedForm, type Sent } from '../../../records/form/sent.ts'
import { limitReports } from '../../ledger/limit-reports.ts'
import { reportPayment } from '../../ledger/payment.ts'
import { loadWorkflow } from '../../workflow/load.ts'
import { makePapers, type Paper, type PaperDraft, withIssueQueue } from '../documents/issue.ts'
import { type Ahead, draftsOfPlan, namesOfIssued } from '../documents/step.ts'
import { findOrder, type Order } from '../order.ts'
import { applyPlan } from './apply-plan.ts'
import { missingDetails, problemElsewhere, problemsOfForm, uploadsFor, whyRefused } from './describe-problems.ts'
import { historyOf } from './history.ts'
import { stepFacts } from './step-facts.ts'
import { asksForPayment, type TransitionAttempt, transitionForm, transitionFormState } from './step-form.ts'

/** The order has moved on, or something is missing: the step is shown again. */
export class TransitionRejected extends HttpError {
  readonly attempt: TransitionAttempt
  constructor(attempt: TransitionAttempt) {
    super(attempt.status, 'Invalid request')
    this.attempt = attempt
  }
}

export type TransitionAction = ActionParts<Order, Paper[], Sent>

/** The action that performs a transition, named by what is sent, wherever that comes from. */
export function transitionAction(done: (request: FastifyRequest, order: Order) => Done, read = readSubmittedForm) {
  return {
    read,
    around: (request, carryOn, { texts }) => queueIssuing(request, findTransition(request, texts), carryOn),
    prepare: (request, order, sent) => makePapers(request, draftsOfStep(request, order, findTransition(request, sent.texts), sent)),
    perform(request, order, papers, sent) {
      moveOrder(request, order, findTransition(request, sent.texts), sent, { undoable: true, papers })
      return done(request, order)
    },
  } satisfies TransitionAction
}

/** What a page shows of a step that was not made. @throws `problem`, where the step is not what it is about */
export function failedAttempt(request: FastifyRequest, order: Order, problem: HttpError, sent: Sent): TransitionAttempt {
  if (problem instanceof TransitionRejected) return problem.attempt
  const isSaid = [422, 429].includes(problem.status)
  if (!isSaid && !keepsTyped(request, problem)) throw problem
  const transition = findTransition(request, sent.texts)
  const state = transitionFormState(request, order, transition, stepFacts(request, order))
  const entry = readForm(transitionForm(transition), state, sent)
  return { status: problem.status, transition, entry, ...(isSaid && { problem }) }
}

/** The transition that is named by what is sent. */
export function findTransition({ server }: Context, texts: Pick<SentTexts, 'get'>, language?: Language): Transition {
  const id = parseId(texts.get('transition_id'))
  const transition = loadWorkflow(server.db, language).transitions.find((one) => one.id === id)
  if (!transition) throw new HttpError(422, 'This transition no longer exists. The workflow may have changed.')
  return transition
}

/** Steps that issue documents are made one after the other: those that issue none wait for nobody. */
export function queueIssuing<T>({ server }: Context, { issues = [] }: Transition, carryOn: () => Promise<T>): Promise<T> {
  return issues.length > 0 ? withIssueQueue(server, carryOn) : carryOn()
}

/** What a step would issue; nothing while something hinders it, which is said when it is made. */
export function draftsOfStep(context: Context, order: Order, transition: Transition, sent: Sent, ahead: Ahead = new Map()): PaperDraft[] {
  if (!transition.issues?.length) return []
  const plan = planSent(context, order, transition, sent)
  return plan instanceof HttpError ? [] : draftsOfPlan(context, order, plan, ahead)
}

export interface MoveOptions {
  undoable: boolean
  /** Files that were made of what it issues. */
  papers?: readonly Paper[]
}

/**
 * Performs a transition of one order with what was sent for it. Call it inside `write`.
 * @throws HttpError when this person may not, TransitionRejected when the order has moved on or something is missing
 */
export function moveOrder(context: Context, order: Order, transition: Transition, sent: Sent, options: MoveOptions): void {
  const plan = planSent(context, order, transition, sent)
  if (plan instanceof HttpError) throw plan
  const { server, author } = context
  if (plan.payment) limitReports(context, { order_id: order.id })
  const payment = plan.payment && reportPayment(server.db, { ...plan.payment, order_id: order.id }, author)
  applyPlan(context, order, plan, { payment, ...options })
}

/** What a step does with what was sent for it, or why it cannot be made so. */
function planSent(context: Context, order: Order, transition: Transition, sent: Sent): Plan | HttpError {
  const facts = stepFacts(context, order)
  const entry = readForm(transitionForm(transition), transitionFormState(context, order, transition, facts), sent)
  const plan = planTransition(order, transition, entry.values, facts)
  if (!Array.isArray(plan) && isValid(entry)) return plan
  return rejection(context, order, { transition, entry }, Array.isArray(plan) ? plan : [], facts)
}

function rejection(
  context: Context,
  order: Order,
  { transition, entry }: Pick<TransitionAttempt, 'transition' | 'entry'>,
  problems: readonly StepProblem[],
  facts: StepFacts,
): HttpError {
  const isAbout = (kind: StepProblem['kind']) => problems.some((problem) => problem.kind === kind)
  if (isAbout('forbidden')) return new HttpError(403, whyRefused(context, transition))
  if (isAbout('moved')) return new TransitionRejected({ status: 409, transition, entry })
  if (isAbout('keeps_prices')) return forbidden('You cannot set prices.')
  const found = { ...entry.errors, ...problemsOfForm(order, problems, facts), ...entry.errors }
  const errors = asksForPayment(context, transition, order) ? atPayment(entry, found) : found
  const problem = problemElsewhere(context, order, problems, facts)
  return new TransitionRejected({
    ...{ status: statusOf({ ...entry, errors }), transition, entry: { ...entry, errors }, problem },
    missing: missingDetails(problems),
    uploads: uploadsFor(problems),
  })
}

/** Where an amount can stand for the file that is missing, it is the amount that is asked for. */
function atPayment({ typed, errors }: Entry, found: Entry['errors']): Entry['errors'] {
  const { payment_order, ...others } = found
  if (!payment_order || errors.payment_order || typed.amount === undefined) return found
  return others.amount || others.date ? others : { ...others, amount: { message: 'Enter the amount or attach a file.' } }
}

/** The message that an order has got its current status, with what was issued on the way. */
export function describeMove(context: Context, { id }: Order): [text: string, params: Record<string, unknown>] {
  const { server, language } = context
  const status = statusById(loadWorkflow(server.db, language), findOrder(server.db, id)?.status_id)?.name ?? ''
  const documents = namesOfIssued(context, historyOf(server.db).get({ order: id })?.step.id)
  if (documents.length === 0) return ['Order #{number} moved to {status}', { number: id, status }]
  const named = new Intl.ListFormat(language).format(documents)
  return ['Order #{number} moved to {status}. Issued: {documents}', { number: id, status, documents: named }]
}
