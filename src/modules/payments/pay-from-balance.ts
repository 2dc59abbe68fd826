import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { authorize } from '../../http/access/authorize.ts'
import { onRecord } from '../../http/access/record-routes.ts'
import { action } from '../../http/action.ts'
import { url } from '../../http/request/addresses.ts'
import { ValidationFailed } from '../../http/request/errors.ts'
import { bodyOf, queryOf } from '../../http/request/input.ts'
import { template } from '../../http/request/template.ts'
import { formatRubles } from '../../i18n/format.ts'
import { blankState, type Entry, formWithoutTable } from '../../records/form/form.ts'
import { formAction } from '../../records/form/form-action.ts'
import { paymentAccess } from '../ledger/access.ts'
import { payFromCredit } from '../ledger/allocations.ts'
import { companyBalance, companyOfEntries } from '../ledger/balance.ts'
import { findPayer } from '../ledger/payer.ts'
import { paidAmount } from '../ledger/payment-form.ts'
import { orderAccess } from '../orders/access.ts'
import { findOrder, type Order } from '../orders/order.ts'
import { placeOfStep, viewOfNeighbors } from '../orders/page/neighbors.ts'
import { amountsOf, creditFor, openOf } from '../orders/payments/amounts.ts'
import { describeSubject } from '../orders/transitions/describe-step.ts'
import { moveWhenPaid } from '../orders/transitions/move-when-paid.ts'

const questionPage = template<ReturnType<typeof viewOfQuestion>>('payments/pay-from-balance.njk')

/** The credit of a company pays an order, once somebody has read how much of it. */
export function payFromBalanceRoutes(app: FastifyInstance): void {
  const policy = { access: orderAccess.payFromBalance, record: findOrder }
  app.get('/orders/:id/pay-from-balance', onRecord(policy, ask))
  app.post('/orders/:id/pay-from-balance', action(policy, payFromBalance))
}

function ask(request: FastifyRequest, reply: FastifyReply, order: Order, entry?: Entry): FastifyReply {
  return reply.page(questionPage, viewOfQuestion(request, order, entry))
}

function viewOfQuestion(request: FastifyRequest, order: Order, entry?: Entry) {
  const { server, t } = request
  const sent = request.method === 'POST' ? bodyOf(request) : queryOf(request)
  const { credit, pays } = creditFor(request, order, openOf(amountsOf(server.db, order)))
  const [problem] = Object.values(entry?.errors ?? {})
  return {
    title: t('Pay from balance'),
    about: describeSubject(request, order),
    order,
    action: url(server, `/orders/${order.id}/pay-from-balance`),
    back: placeOfStep(request, order, sent),
    neighbors: viewOfNeighbors(request, order, sent),
    pays,
    typed: formatRubles(pays),
    rest: credit - pays,
    problem: problem ? t(problem) : pays > 0 ? undefined : t('There is nothing to pay.'),
    once: crypto.randomUUID(),
  }
}

const amountForm = formWithoutTable([{ title: 'Payment', fields: { amount: paidAmount('Amount', {}) } }])

/** It pays the amount that is sent, or what the order lacks. */
const payFromBalance = formAction({
  form: amountForm,
  mode: 'create',
  state: () => blankState,
  save(request, { amount }, order: Order) {
    const paid = pay(request, order, amount ?? undefined)
    const sent = bodyOf(request)
    const place = placeOfStep(request, order, sent)
    return {
      location: sent.has('home') ? place : `${place}#payments`,
      message: ['{amount} paid from the balance', { amount: request.t.money(paid) }],
    }
  },
  showAgain: ask,
})

/** @returns how much, in kopecks */
function pay(request: FastifyRequest, order: Order, named: number | undefined): number {
  const { server, actor, author, t } = request
  const { id } = order
  const payer = findPayer(server.db, companyOfEntries(server.db, id) ?? 0)
  if (!payer) throw new ValidationFailed({ amount: 'This order belongs to no company.' })
  // An order that moved to another company is still paid by the one that it was charged to.
  authorize(paymentAccess.report, actor, payer)
  const { credit } = companyBalance(server.db, payer.id)
  if ((named ?? 0) > credit)
    throw new ValidationFailed({ amount: { message: 'The credit of the company is {amount}.', params: { amount: t.money(credit) } } })
  const paid = payFromCredit(server.db, { id, company_id: payer.id }, named ?? openOf(amountsOf(server.db, order)), author)
  if (paid <= 0) throw new ValidationFailed({ amount: 'There is nothing to pay.' })
  moveWhenPaid(request, id)
  return paid
}
