import type { FastifyReply, FastifyRequest } from 'fastify'
import { allows } from '../../core/access.ts'
import { url } from '../../http/request/addresses.ts'
import type { Context } from '../../http/request/context.ts'
import { template } from '../../http/request/template.ts'
import { listUrl } from '../../records/list/show.ts'
import { paymentAccess } from '../ledger/access.ts'
import { allocationsOf } from '../ledger/allocations.ts'
import type { Payment } from '../ledger/payment.ts'
import type { Order } from '../orders/order.ts'
import { type PaymentView, viewOfPayment, viewOfPayments } from '../orders/payments/section.ts'
import { orderBeside } from './place.ts'

interface PaymentPage {
  title: string
  back: string
  payment: PaymentView
  company: string | null
  /** The order that it was reported or entered for, where the reader may see it. */
  order: Order | undefined
  /** What it costs and lacks. */
  amounts: Amounts | undefined
  /** Where whoever reported a rejected one does so anew. */
  again: string | undefined
  allocations: { order_id: number; amount: number }[]
  /** What of it pays nothing. */
  credit: number
  mayDecide: boolean
  /** The reversed payment in whose place it was entered. */
  corrects: number | null
  problem?: string
  once: string
}

type Amounts = NonNullable<ReturnType<typeof viewOfPayments>>['amounts']

const paymentPage = template<PaymentPage>('payments/page.njk')

export function showPayment(request: FastifyRequest, reply: FastifyReply, payment: Payment, problem?: string): FastifyReply {
  const { server, actor, t } = request
  const allocations = allocationsOf(server.db, payment.id)
  const order = orderBeside(request, payment, new URLSearchParams())
  const section = order && viewOfPayments(request, order)
  const mayDecide = allows(paymentAccess.decide, actor, payment)
  return reply.page(paymentPage, {
    title: `${payment.direction === 'refund' ? t('Refund') : t('Payment')} ${t.money(payment.amount)}`,
    back: listUrl(request, 'payments'),
    payment: viewOfPayment(request, payment),
    company: payment.org,
    order,
    amounts: section?.amounts,
    again:
      payment.state === 'rejected' && order && section?.mayReport && !mayDecide ? reportAddress(request, order, section.step) : undefined,
    allocations,
    credit: payment.state === 'confirmed' && payment.direction === 'incoming' ? payment.amount - payment.allocated : 0,
    mayDecide,
    corrects: payment.corrects_id,
    problem,
    once: crypto.randomUUID(),
  })
}

/** The dialog in which a payment of an order is reported: that of the step which reports one, else its own. */
function reportAddress({ server }: Context, { id }: Order, step: number | undefined): string {
  return url(server, step === undefined ? `/orders/${id}/payments` : `/orders/${id}?transition_id=${step}`)
}
