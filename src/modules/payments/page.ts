import type { FastifyReply, FastifyRequest } from 'fastify'
import { allows, isDealer } from '../../core/access.ts'
import { extendContentSecurityPolicy } from '../../http/access/headers.ts'
import { url } from '../../http/request/addresses.ts'
import type { Context } from '../../http/request/context.ts'
import { bodyOf, queryOf } from '../../http/request/input.ts'
import { template } from '../../http/request/template.ts'
import { formatCalendarDate } from '../../i18n/format.ts'
import type { Neighbors } from '../../records/list/neighbors.ts'
import { readingPath } from '../../records/list/record-paths.ts'
import { backToList } from '../../records/list/show.ts'
import { companyAccess } from '../companies/access.ts'
import { findCompany } from '../companies/company.ts'
import { paymentAccess } from '../ledger/access.ts'
import { allocationsOf } from '../ledger/allocations.ts'
import { companyBalance } from '../ledger/balance.ts'
import { describeDeciders } from '../ledger/deciders.ts'
import { type Payment, paymentsOf } from '../ledger/payment.ts'
import { documentsOf } from '../orders/documents/document.ts'
import { viewOfIssued } from '../orders/documents/view.ts'
import type { Order } from '../orders/order.ts'
import { viewOfDocuments } from '../orders/page/documents.ts'
import { type PaymentView, viewOfPayment, viewOfPayments } from '../orders/payments/section.ts'
import { orderBeside, paymentAddress, viewOfNeighbors } from './place.ts'

interface PaymentPage {
  title: string
  back: string
  neighbors: Neighbors
  /** The dialogs in which something is done with it, which lead on in the list that one came from. */
  dialogs: Dialogs
  payment: PaymentView
  company: CompanyView
  /** What is asked to be paid for the order. */
  invoice: { text: string; href: string } | undefined
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
  /** Whether this person is to confirm or reject it, or may take back what was confirmed. */
  decides: boolean
  putsRight: boolean
  /** Who can decide about it, while nobody has. */
  awaits: string | undefined
  /** What becomes of the money of a canceled order. */
  money: string | undefined
  history: PaymentEvent[]
  /** The reversed payment in whose place it was entered. */
  corrects: number | null
  problem?: string
  once: string
}

interface CompanyView {
  name: string | null
  /** Its card, and its balance in kopecks, for those who may open it. */
  href?: string
  balance?: number
}

interface PaymentEvent {
  code: string
  state: string
  name: string
  at: number
  texts: string[]
}

type Amounts = NonNullable<ReturnType<typeof viewOfPayments>>['amounts']

const paymentPage = template<PaymentPage>('payments/page.njk')

export function showPayment(request: FastifyRequest, reply: FastifyReply, payment: Payment, problem?: string): FastifyReply {
  const { server, actor } = request
  const sent = bodyOf(request)
  const neighbors = viewOfNeighbors(request, payment, sent.has('back') ? sent : queryOf(request))
  const allocations = allocationsOf(server.db, payment.id)
  const order = orderBeside(request, payment, new URLSearchParams())
  const section = order && viewOfPayments(request, order, paymentsOf(request.server.db, order.id))
  const mayDecide = allows(paymentAccess.decide, actor, payment)
  const view = viewOfPayment(request, payment)
  if (view.file && view.file.preview === 'pdf') extendContentSecurityPolicy(reply, { 'object-src': "'self'", 'frame-src': "'self'" })
  return reply.page(paymentPage, {
    title: titleOf(request, payment),
    back: backToList(request, 'payments'),
    neighbors,
    dialogs: addressesOfDialogs(request, payment, neighbors),
    payment: view,
    company: viewOfCompany(request, payment),
    invoice: order && findInvoice(request, order),
    order,
    amounts: section?.amounts,
    again:
      payment.state === 'rejected' && order && section?.mayReport && !mayDecide ? reportAddress(request, order, section.step) : undefined,
    allocations,
    credit: payment.state === 'confirmed' && payment.direction === 'incoming' ? payment.amount - payment.allocated : 0,
    mayDecide,
    decides: mayDecide && payment.state === 'reported',
    putsRight: mayDecide && payment.state === 'confirmed',
    awaits: payment.state === 'reported' ? describeWaiting(request, payment) : undefined,
    money: section?.amounts.canceled ? moneyOfCanceled(request, payment, allocations) : undefined,
    history: historyOf(request, payment),
    corrects: payment.corrects_id,
    problem,
    once: crypto.randomUUID(),
  })
}

export const titleOf = ({ t }: Context, { direction, amount }: Payment): string =>
  `${direction === 'refund' ? t('Refund') : t('Payment')} ${t.money(amount)}`

type Dialogs = ReturnType<typeof addressesOfDialogs>

function addressesOfDialogs({ server }: Context, payment: Payment, { back = '', previousId, nextId }: Neighbors) {
  const origin = new URLSearchParams({ back, prev: String(previousId ?? ''), next: String(nextId ?? '') })
  const address = (page: string) => paymentAddress(server, payment, origin, page)
  const reject = address('/reject')
  return {
    reject: `${reject}${reject.includes('?') ? '&' : '?'}payment=1`,
    allocations: address('/allocations'),
    correct: address('/correct'),
    reverse: address('/reverse'),
  }
}

/** Dealers are not told who of the manufacturer's people looks after money. */
export function describeWaiting(context: Context, payment: Payment): string | undefined {
  if (isDealer(context.actor)) return context.t('We confirm it as soon as the money has arrived.')
  return describeDeciders(context, paymentAccess.decide, payment)
}

function moneyOfCanceled({ t }: Context, { state, direction, order_id }: Payment, allocations: PaymentPage['allocations']) {
  if (state === 'reported') return t('The order was canceled. Once the payment is confirmed, it is moved to the balance of the company.')
  const isReturned = state === 'confirmed' && direction === 'incoming' && !allocations.some((one) => one.order_id === order_id)
  return t(isReturned ? 'The order was canceled. What was paid was moved to the balance of the company.' : 'The order was canceled.')
}

const eventLabels: Record<Payment['state'], string> = {
  reported: 'Payment reported',
  confirmed: 'Payment confirmed',
  rejected: 'Payment rejected',
  reversed: 'Payment reversed',
}

/** Who did what with it. Whoever enters one that counts at once has not reported it. */
function historyOf({ t }: Context, payment: Payment): PaymentEvent[] {
  const { state, reason, created_at, reporter_name, decider_name, decided_at, reverser_name, reversed_at, reversed_on } = payment
  const event = (code: Payment['state'], name: string | null, at: number | null, texts: (string | null)[] = []) =>
    name && at ? [{ code, state: t(eventLabels[code]), name, at, texts: texts.filter((text) => text !== null) }] : []
  const decision = state === 'rejected' ? 'rejected' : 'confirmed'
  return [
    ...(decided_at === created_at ? [] : event('reported', reporter_name, created_at)),
    ...event(decision, decider_name, decided_at),
    ...event('reversed', reverser_name, reversed_at, [
      reversed_on && t('Booked on {date}', { date: formatCalendarDate(reversed_on) }),
      reason,
    ]),
  ]
}

function viewOfCompany(context: Context, { company_id, org }: Payment): CompanyView {
  const { actor } = context
  const { db } = context.server
  const company = findCompany(db, company_id ?? 0)
  if (!company || !allows(companyAccess.view, actor, company)) return { name: org }
  return { name: org, href: readingPath(context, 'companies', company.id), balance: companyBalance(db, company.id).balance }
}

/** The invoice that was issued, else the one that was uploaded. */
function findInvoice(context: Context, order: Order): PaymentPage['invoice'] {
  const papers = documentsOf(context.server.db, order.id)
  const issued = viewOfIssued(context, order, papers).rows.find(({ kind, state }) => kind === 'invoice' && state === 'issued')
  if (issued) return { text: context.t('No. {number}', { number: issued.number }), href: `/documents/${issued.id}/file` }
  const file = viewOfDocuments(context, order, papers, true).find(({ field, issued }) => field === 'invoice' && !issued)
  return file?.name ? { text: file.name, href: `/files/${file.key}${file.preview ? '/preview' : ''}` } : undefined
}

/** The dialog in which a payment of an order is reported: that of the step which reports one, else its own. */
function reportAddress({ server }: Context, { id }: Order, step: number | undefined): string {
  return url(server, step === undefined ? `/orders/${id}/payments` : `/orders/${id}?transition_id=${step}`)
}
