import type { FastifyReply, FastifyRequest } from 'fastify'
import { queryOf } from '../../../http/request/input.ts'
import { template } from '../../../http/request/template.ts'
import { paymentsOf } from '../../ledger/payment.ts'
import type { Order } from '../order.ts'
import { viewOfPayments } from '../payments/section.ts'
import { describeSubject } from '../transitions/describe-step.ts'
import { latestStep } from '../transitions/history.ts'
import { stepFacts } from '../transitions/step-facts.ts'
import { nameOfUndo, offerUndo } from '../transitions/undo-step.ts'
import { pageAddress, viewOfNeighbors } from './neighbors.ts'
import { viewOfSteps } from './steps.ts'

const choicesTemplate = template<ReturnType<typeof viewOfChoices>>('orders/page/choices.njk')

/** What this person can do with an order now, for the dialog over the page where it stands. */
export function showChoices(request: FastifyRequest, reply: FastifyReply, order: Order): FastifyReply {
  return reply.page(choicesTemplate, viewOfChoices(request, order))
}

function viewOfChoices(request: FastifyRequest, order: Order) {
  const { server, language, t } = request
  const facts = stepFacts(request, order, language)
  const { primary, others, cancels, next } = viewOfSteps(request, order, facts)
  const payments = viewOfPayments(request, order, paymentsOf(server.db, order.id))
  const neighbors = viewOfNeighbors(request, order, queryOf(request))
  const latest = latestStep(server.db, order.id)
  const awaited = payments?.awaited?.own === false ? payments.awaited.text : undefined
  return {
    title: describeSubject(request, order),
    order,
    /** Money that waits comes before the steps that wait for it. */
    reported: payments?.mayDecide ? payments.rows.filter(({ code }) => code === 'reported') : [],
    fromBalance: payments?.settles ? payments.pays : undefined,
    /** What the balance is enough for is paid from it before it is paid once more; no other step is put off by that. */
    balanceLeads: payments?.reporting !== undefined && payments.reporting === primary?.id,
    steps: [...(primary ? [primary] : []), ...others, ...cancels],
    /** Who or what is waited for. */
    notes: [next, awaited].filter((note) => note !== undefined),
    undo: offerUndo(request, latest, neighbors.back ? { back: neighbors.back } : {}),
    undoName: nameOfUndo(request, latest),
    nothing: t('There is nothing for you to do here now.'),
    neighbors,
    here: pageAddress(server, order, queryOf(request)),
    once: crypto.randomUUID(),
  }
}
