import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { allows } from '../../core/access.ts'
import { authorize } from '../../http/access/authorize.ts'
import { onRecord } from '../../http/access/record-routes.ts'
import { action } from '../../http/action.ts'
import { url } from '../../http/request/addresses.ts'
import type { Context } from '../../http/request/context.ts'
import { ValidationFailed } from '../../http/request/errors.ts'
import { bodyOf, queryOf } from '../../http/request/input.ts'
import { template } from '../../http/request/template.ts'
import { ownUpload } from '../../http/uploads/uploaded.ts'
import { acceptedFiles, blankState, type CreateValues, type Entry, type FormState, formWithoutTable } from '../../records/form/form.ts'
import { formSteps } from '../../records/form/steps.ts'
import { type FormView, viewOfForm } from '../../records/form/view.ts'
import { paymentAccess } from '../ledger/access.ts'
import { payFromCredit } from '../ledger/allocations.ts'
import { companyBalance, companyOfEntries } from '../ledger/balance.ts'
import { findPayer } from '../ledger/payer.ts'
import type { Payment } from '../ledger/payment.ts'
import { paidAmount, paymentForm } from '../ledger/payment-form.ts'
import { orderAccess } from '../orders/access.ts'
import { findOrder, type Order } from '../orders/order.ts'
import { pageAddress } from '../orders/page/neighbors.ts'
import { showPage } from '../orders/page/order-page.ts'
import { amountsOf, openOf, proposePayment } from '../orders/payments/amounts.ts'
import { describeSubject } from '../orders/transitions/describe-step.ts'
import { moveWhenPaid } from '../orders/transitions/move-when-paid.ts'
import { enterPayment } from './decision.ts'

const paymentPage = template<{ title: string; about: string; action: string; back: string; form: FormView; reports: boolean }>(
  'payments/form.njk',
)

/** A payment of an order, from its page. */
export function orderPaymentRoutes(app: FastifyInstance): void {
  const report = { access: orderAccess.reportPayment, record: findOrder }
  app.get('/orders/:id/payments', onRecord(report, showPaymentForm))
  app.post('/orders/:id/payments', action({ ...report, ...acceptedFiles(paymentForm, 'create') }, sendPayment))
  app.post('/orders/:id/pay-from-balance', action({ access: orderAccess.payFromBalance, record: findOrder }, payFromBalance))
}

const sendPayment = formSteps({
  form: paymentForm,
  mode: 'create',
  state: paymentState,
  save(request, values, order: Order) {
    const { id } = enterOrderPayment(request, order, values)
    const message = confirms(request, order) ? 'Payment entered' : 'Payment reported. It counts once it is confirmed.'
    return { location: `${pageAddress(request.server, order, queryOf(request))}#payments`, record_id: id, message: [message] }
  },
  showAgain: showPaymentForm,
})

/** Reports a payment of an order; of somebody who may confirm, it is confirmed at once. */
export function enterOrderPayment(context: Context, order: Order, values: CreateValues<typeof paymentForm>): Payment {
  return enterPayment(context, { ...values, order_id: order.id }, confirms(context, order))
}

const confirms = ({ actor }: Context, order: Order) => allows(orderAccess.decidePayment, actor, order)

export function paymentState({ server, actor }: Context, order: Order): FormState {
  return {
    mode: 'create',
    stored: proposePayment(server.db, order),
    choices: {},
    focus: 'amount',
    fileName: (key) => ownUpload(server.db, key, actor.id)?.name,
  }
}

function showPaymentForm(request: FastifyRequest, reply: FastifyReply, order: Order, entry?: Entry): FastifyReply {
  const { server, t } = request
  const query = queryOf(request)
  const reports = !confirms(request, order)
  return reply.page(paymentPage, {
    title: reports ? t('Report payment') : t('Enter payment'),
    about: describeSubject(request, order),
    action: `${url(server, `/orders/${order.id}/payments`)}${query.size > 0 ? `?${query}` : ''}`,
    back: pageAddress(server, order, query),
    form: viewOfForm(paymentForm, paymentState(request, order), t, entry),
    reports,
  })
}

const amountForm = formWithoutTable([{ title: 'Payment', fields: { amount: paidAmount('Amount', {}) } }])

/** POST of the button beside what is left to pay: the company's credit pays it, or the amount that is sent. What is refused is said on the page. */
const payFromBalance = formSteps({
  form: amountForm,
  mode: 'create',
  state: () => blankState,
  save(request, { amount }, order: Order) {
    const paid = pay(request, order, amount ?? undefined)
    return {
      location: `${pageAddress(request.server, order, bodyOf(request))}#payments`,
      message: ['{amount} paid from the balance', { amount: request.t.money(paid) }],
    }
  },
  showAgain(request, reply, order, { errors }) {
    const [problem] = Object.values(errors)
    return showPage(request, reply, order, { problem: problem && request.t(problem) })
  },
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
