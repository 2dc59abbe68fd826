import type { FastifyReply, FastifyRequest } from 'fastify'
import { seesPrices } from '../../../core/prices.ts'
import { bodyOf, queryOf } from '../../../http/request/input.ts'
import { template } from '../../../http/request/template.ts'
import type { Order } from '../order.ts'
import { describeSubject } from '../transitions/describe-step.ts'
import { conflictMessage } from '../transitions/history.ts'
import { stepFacts } from '../transitions/step-facts.ts'
import { type TransitionAttempt, viewOfConflict } from '../transitions/step-form.ts'
import { pageAddress, viewOfNeighbors } from './neighbors.ts'
import { viewOfOpenStep } from './steps.ts'

const stepTemplate = template<ReturnType<typeof viewOfStep>>('orders/page/step.njk')

/** What a step asks for, by itself: for the dialog over the page. */
export function showStep(request: FastifyRequest, reply: FastifyReply, order: Order, attempt?: TransitionAttempt): FastifyReply {
  return reply.page(stepTemplate, viewOfStep(request, order, attempt))
}

function viewOfStep(request: FastifyRequest, order: Order, attempt?: TransitionAttempt) {
  const { server, actor, t, language } = request
  const sent = request.method === 'POST' ? bodyOf(request) : queryOf(request)
  const facts = stepFacts(request, order, language)
  const step = viewOfOpenStep(request, order, facts, queryOf(request), attempt)
  return {
    title: step?.name ?? t('Not moved'),
    about: describeSubject(request, order),
    order,
    step,
    conflict: attempt ? viewOfConflict(request, order, attempt) : { message: conflictMessage(request, order), typed: [] },
    here: pageAddress(server, order, sent),
    neighbors: viewOfNeighbors(request, order, sent),
    amounts: seesPrices(actor) ? { total: order.cost } : undefined,
    once: crypto.randomUUID(),
  }
}
