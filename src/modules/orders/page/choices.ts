import type { FastifyReply, FastifyRequest } from 'fastify'
import { queryOf } from '../../../http/request/input.ts'
import { template } from '../../../http/request/template.ts'
import { paymentsOf } from '../../ledger/payment.ts'
import type { Order } from '../order.ts'
import { viewOfPayments } from '../payments/section.ts'
import { viewOfEdits } from '../sections.ts'
import { describeSubject } from '../transitions/describe-step.ts'
import { latestStep } from '../transitions/history.ts'
import { stepFacts } from '../transitions/step-facts.ts'
import { nameOfUndo, offerUndo } from '../transitions/undo-step.ts'
import { type Origin, pageAddress, viewOfNeighbors } from './neighbors.ts'
import { viewOfSteps } from './steps.ts'
import { viewOfTools } from './tools.ts'

const choicesTemplate = template<ReturnType<typeof viewOfChoices>>('orders/page/choices.njk')

/** What this person can do with an order now, for the dialog over the page where it stands. */
export function showChoices(request: FastifyRequest, reply: FastifyReply, order: Order): FastifyReply {
  return reply.page(choicesTemplate, viewOfChoices(request, order))
}

function viewOfChoices(request: FastifyRequest, order: Order) {
  const { server, language, t } = request
  const facts = stepFacts(request, order, language)
  const payments = viewOfPayments(request, order, paymentsOf(server.db, order.id))
  const { primary, others, cancels, next, balanceLeads } = viewOfSteps(request, order, facts, payments)
  const neighbors = viewOfNeighbors(request, order, queryOf(request))
  const latest = latestStep(server.db, order.id)
  const awaited = payments?.awaited?.own === false ? payments.awaited.text : undefined
  return {
    title: describeSubject(request, order),
    order,
    /** Money that waits comes before the steps that wait for it. */
    reported: payments?.mayDecide ? payments.rows.filter(({ code }) => code === 'reported') : [],
    fromBalance: payments?.settles ? payments.pays : undefined,
    balanceLeads,
    steps: [...(primary ? [primary] : []), ...others],
    /** After everything else, so that nobody who confirms what stands first calls an order off. */
    cancels,
    /** Who or what is waited for. */
    notes: [next, awaited].filter((note) => note !== undefined),
    tools: toolsHere(request, order, neighbors, payments?.entry),
    undo: offerUndo(request, latest, neighbors.back ? { back: neighbors.back } : {}),
    undoName: nameOfUndo(request, latest),
    nothing: t('There is nothing for you to do here now.'),
    neighbors,
    here: pageAddress(server, order, queryOf(request)),
    once: crypto.randomUUID(),
  }
}

/** What else can be done, as on the page of the order: what opens a dialog there does here, unless the page behind it is another one. */
function toolsHere(
  request: FastifyRequest,
  order: Order,
  { back, home, stays }: Origin,
  entry: { label: string; href: string } | undefined,
) {
  const { again, more } = viewOfTools(request, order)
  const [edit] = Object.values(viewOfEdits(request, order, back))
  const query = back ? `?${new URLSearchParams({ back })}` : ''
  return [
    ...(entry ? [{ label: entry.label, href: entry.href + query, opens: true }] : []),
    ...(edit ? [{ label: request.t('Edit'), of: edit.title, href: edit.href, opens: !home && !stays }] : []),
    ...(again ? [again] : []),
    ...more,
  ]
}
