import type { FastifyReply, FastifyRequest } from 'fastify'
import { allows } from '../../../core/access.ts'
import { recordLabelFor } from '../../../core/default-workflow.ts'
import { groupAtTurn, isTurnOf, unsentStatus } from '../../../core/expected-actor.ts'
import { turnLabels } from '../../../core/labels.ts'
import { isCanceled } from '../../../core/payments.ts'
import type { MissingDetail } from '../../../core/plan-transition.ts'
import { isFinal, statusById, type Workflow } from '../../../core/transition-rules.ts'
import { hindrancesOf, waitsThoughPaid } from '../../../core/when-paid.ts'
import type { Context } from '../../../http/request/context.ts'
import type { Flash } from '../../../http/request/flash.ts'
import { bodyOf, queryOf, wantsFragment } from '../../../http/request/input.ts'
import { template } from '../../../http/request/template.ts'
import { daysSince } from '../../../i18n/format.ts'
import { describeWaiting } from '../../notifications/notices.ts'
import { viewOfPath, viewOfProgress } from '../../workflow/order-path.ts'
import { orderAccess } from '../access.ts'
import { documentsOf } from '../documents/document.ts'
import { viewOfIssued } from '../documents/view.ts'
import { type Composer, readEvents, viewOfDiscussion } from '../messages/discussion.ts'
import { markVisited } from '../messages/visits.ts'
import type { Order } from '../order.ts'
import type { AwaitedConfirmation } from '../payments/amounts.ts'
import { viewOfPayments } from '../payments/section.ts'
import { usesCatalog } from '../pricing/catalog.ts'
import { viewOfEdits } from '../sections.ts'
import { isInForce, latestStep, pathOf } from '../transitions/history.ts'
import { describeMove, failedAttempt, type TransitionAction, transitionAction } from '../transitions/move-order.ts'
import { outcomeOf } from '../transitions/move-when-paid.ts'
import { stepFacts } from '../transitions/step-facts.ts'
import { type TransitionAttempt, viewOfConflict } from '../transitions/step-form.ts'
import { nameOfUndo, offerUndo } from '../transitions/undo-step.ts'
import { overdueOf } from '../waiting.ts'
import { viewOfDocuments } from './documents.ts'
import { viewOfLead } from './lead.ts'
import { viewOfLines } from './lines.ts'
import { placeBefore, placeOfStep, viewOfNeighbors } from './neighbors.ts'
import { viewOfPeople } from './people.ts'
import { viewOfDetails } from './properties.ts'
import { showStep } from './step-dialog.ts'
import { viewOfOpenStep, viewOfSteps } from './steps.ts'
import { viewOfTools } from './tools.ts'

interface PageState {
  attempt?: TransitionAttempt
  composer?: Composer
  problem?: string
  /** What has to be filled in first, each with where. */
  missing?: readonly MissingDetail[]
  /** What was saved in a dialog over the page. */
  flash?: Flash
}

const orderPageTemplate = template<ReturnType<typeof viewOfPage>>('orders/page.njk')

export function showPage(request: FastifyRequest, reply: FastifyReply, order: Order, state: PageState = {}): FastifyReply {
  if (wantsFragment(request) && (state.attempt || queryOf(request).has('transition_id')))
    return showStep(request, reply, order, state.attempt)
  const data = viewOfPage(request, order, state)
  if (isReading(request)) markVisited(request, order, data.seenAt, data.timeline.at(-1)?.at ?? 0)
  return reply.page(orderPageTemplate, data)
}

/** A page that a browser fetches before anybody asks for it has not been read. */
function isReading(request: FastifyRequest): boolean {
  return request.method === 'GET' && !wantsFragment(request) && !request.headers['sec-purpose']
}

export const moveFromPage: TransitionAction = {
  ...transitionAction((request, order) => ({
    location: placeOfStep(request, order, bodyOf(request)),
    message: [
      ...describeMove(request, order),
      { undo: offerUndo(request, latestStep(request.server.db, order.id), placeKept(bodyOf(request).get('back'))) },
    ],
  })),
  showAgain: (request, reply, order, problem, sent) =>
    showPage(request, reply, order, { attempt: failedAttempt(request, order, problem, sent) }),
}

const comesFrom = (sent: URLSearchParams) => sent.has('back') || sent.has('home')

/** The list that somebody came from and goes back to. */
const placeKept = (back: string | null | undefined): Record<string, string> => (back ? { back } : {})

function viewOfPage(request: FastifyRequest, order: Order, { attempt, composer, problem, missing = [], flash }: PageState) {
  const { server, actor, t, language } = request
  const query = queryOf(request)
  const facts = stepFacts(request, order, language)
  const { workflow } = facts
  const events = readEvents(request, order)
  const { history } = events
  const neighbors = viewOfNeighbors(request, order, comesFrom(bodyOf(request)) ? bodyOf(request) : query)
  const currentStatus = statusById(workflow, order.status_id)
  const payments = viewOfPayments(request, order, events.payments)
  const steps = viewOfSteps(request, order, facts, payments)
  const people = viewOfPeople(request, order)
  const turn = viewOfTurn(request, order, workflow, payments?.awaited)
  const papers = documentsOf(server.db, order.id)
  /** The files that stand with the payments. */
  const slips = new Set(payments?.rows.flatMap(({ file }) => (file ? file.key : [])))
  const ended = currentStatus !== undefined && isFinal(workflow, currentStatus.id)
  const canceled = isCanceled(currentStatus)
  const edits = viewOfEdits(request, order, neighbors.back)
  return {
    title: t('Order {name}', { name: recordLabelFor(language, 'orders', `#${order.id}`) }),
    order,
    followed: order.id,
    mayList: allows(orderAccess.list, actor),
    before: placeBefore(request, neighbors.back),
    neighbors,
    mayAct: allows(orderAccess.act, actor, order),
    edits,
    sellsCatalog: usesCatalog(server.db),
    tools: viewOfTools(request, order),
    assignable: allows(orderAccess.assignStatus, actor, order) ? workflow.statuses : undefined,
    currentStatus,
    canceled,
    /** Who brought the order to its end, and when. */
    ended: ended || canceled ? history.find(isInForce)?.step : undefined,
    days: daysSince(order.status_since),
    late: overdueOf(workflow)(order),
    turn,
    unsent: order.status_id !== null && order.status_id === unsentStatus(workflow),
    leads: turn?.own !== false && !payments?.awaited,
    paid: describePaid(request, order, workflow),
    people,
    ...viewOfLead(request, order, people.company),
    steps,
    undo: offerUndo(request, history[0]?.step, placeKept(neighbors.back)),
    undoName: nameOfUndo(request, history[0]?.step),
    step: viewOfOpenStep(request, order, facts, query, attempt),
    conflict: attempt?.status === 409 ? viewOfConflict(request, order, attempt) : undefined,
    progress: viewOfProgress(
      workflow,
      history
        .filter(isInForce)
        .map(({ step }) => step.to_status_id)
        .reverse(),
      order,
    ),
    path: query.has('workflow') ? viewOfPath(workflow, pathOf(request, order, workflow), t) : undefined,
    details: viewOfDetails(request, order, ended ? {} : edits),
    documents: viewOfDocuments(request, order, papers, canceled).filter(({ key }) => !key || !slips.has(key)),
    issued: viewOfIssued(request, order, papers),
    payments,
    ...viewOfLines(request, order),
    ...viewOfDiscussion(request, order, events, query, composer),
    problem,
    missing,
    once: crypto.randomUUID(),
    ...(flash && { flash }),
  }
}

/** Whose turn it is; not yet one's own while somebody else has to confirm a payment. */
function viewOfTurn({ actor, t }: Context, order: Order, workflow: Workflow, awaited: AwaitedConfirmation | undefined) {
  const turn = groupAtTurn(workflow, order)
  if (!turn) return undefined
  if (!isTurnOf(actor, order, workflow)) return { own: false, text: t(turnLabels[turn]) }
  const isBlocked = awaited?.own === false
  return isBlocked ? { own: false, waits: true, text: t('Your turn once the payment is confirmed') } : { own: true, text: t('Your turn') }
}

/** Why an order that is paid has not moved on, for those who may know that it is. */
function describePaid({ server, actor, t }: Context, order: Order, workflow: Workflow): string | undefined {
  if (!waitsThoughPaid(workflow, order) || !allows(orderAccess.viewPayments, actor, order)) return undefined
  const outcome = outcomeOf(server.db, order)
  return outcome?.kind === 'waits' ? describeWaiting(hindrancesOf(outcome.problems), t) : t('Paid: nothing hinders the next step')
}
