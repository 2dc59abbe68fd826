import type { FastifyReply, FastifyRequest } from 'fastify'
import { allows } from '../../core/access.ts'
import { queryOf } from '../../http/request/input.ts'
import { template } from '../../http/request/template.ts'
import { paymentAccess } from '../ledger/access.ts'
import type { Payment } from '../ledger/payment.ts'
import { viewOfPayment } from '../orders/payments/section.ts'
import { describeWaiting, titleOf } from './page.ts'
import { describePlace, paymentAddress } from './place.ts'

const choicesTemplate = template<ReturnType<typeof viewOfChoices>>('payments/choices.njk')

/** What this person can do with a payment now, or who can, for the dialog over the page where it stands. */
export function showChoices(request: FastifyRequest, reply: FastifyReply, payment: Payment): FastifyReply {
  return reply.page(choicesTemplate, viewOfChoices(request, payment))
}

function viewOfChoices(request: FastifyRequest, payment: Payment) {
  const { server, actor } = request
  const sent = queryOf(request)
  const mayDecide = allows(paymentAccess.decide, actor, payment)
  const address = (page: string) => paymentAddress(server, payment, sent, page)
  const rejection = address('/reject')
  return {
    title: titleOf(request, payment),
    place: describePlace(request, payment),
    payment: viewOfPayment(request, payment),
    decides: mayDecide && payment.state === 'reported',
    putsRight: mayDecide && payment.state === 'confirmed',
    awaits: !mayDecide && payment.state === 'reported' ? describeWaiting(request, payment) : undefined,
    /** Whether it is done from a page beside that of the payment. */
    stays: sent.has('stays'),
    back: sent.get('back') ?? '',
    previous: sent.get('prev') ?? '',
    next: sent.get('next') ?? '',
    here: address(''),
    reject: `${rejection}${rejection.includes('?') ? '&' : '?'}${sent.has('stays') ? 'stays' : 'payment'}=1`,
    correct: address('/correct'),
    reverse: address('/reverse'),
    once: crypto.randomUUID(),
  }
}
