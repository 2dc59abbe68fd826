import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { allows } from '../../core/access.ts'
import { onRecord } from '../../http/access/record-routes.ts'
import { action } from '../../http/action.ts'
import { url } from '../../http/request/addresses.ts'
import type { Context } from '../../http/request/context.ts'
import { queryOf } from '../../http/request/input.ts'
import { template } from '../../http/request/template.ts'
import { ownUpload } from '../../http/uploads/uploaded.ts'
import { acceptedFiles, type CreateValues, type Entry, type FormState } from '../../records/form/form.ts'
import { formAction } from '../../records/form/form-action.ts'
import { type FormView, viewOfForm } from '../../records/form/view.ts'
import { type Payment, reportedSum } from '../ledger/payment.ts'
import { paymentForm } from '../ledger/payment-form.ts'
import { orderAccess } from '../orders/access.ts'
import { findOrder, type Order } from '../orders/order.ts'
import { pageAddress } from '../orders/page/neighbors.ts'
import { amountsOf, openOf, proposePayment } from '../orders/payments/amounts.ts'
import { describeSubject } from '../orders/transitions/describe-step.ts'
import { enterPayment } from './decision.ts'

interface PaymentPage {
  title: string
  about: string
  action: string
  back: string
  form: FormView
  reports: boolean
  /** What was reported for the order and waits to be confirmed. */
  unconfirmed: number
}

const paymentPage = template<PaymentPage>('payments/form.njk')

/** A payment of an order, from its page. */
export function orderPaymentRoutes(app: FastifyInstance): void {
  const report = { access: orderAccess.reportPayment, record: findOrder }
  app.get('/orders/:id/payments', onRecord(report, showPaymentForm))
  app.post('/orders/:id/payments', action({ ...report, ...acceptedFiles(paymentForm, 'create') }, sendPayment))
}

const sendPayment = formAction({
  form: paymentForm,
  mode: 'create',
  state: paymentState,
  save(request, values, order: Order) {
    const over = values.amount - openOf(amountsOf(request.server.db, order))
    const { id } = enterOrderPayment(request, order, values)
    const text = confirms(request, order) ? 'Payment entered' : 'Payment reported. It counts once it is confirmed.'
    const warning = over > 0 ? request.t('{amount} more than is left to pay', { amount: { kopecks: over } }) : undefined
    return {
      location: `${pageAddress(request.server, order, queryOf(request))}#payments`,
      record_id: id,
      message: [text, {}, { warning }],
    }
  },
  showAgain: showPaymentForm,
})

/** Reports a payment of an order; of somebody who may confirm, it is confirmed at once. */
export function enterOrderPayment(context: Context, order: Order, values: CreateValues<typeof paymentForm>): Payment {
  return enterPayment(context, { ...values, order_id: order.id }, confirms(context, order))
}

const confirms = ({ actor }: Context, order: Order) => allows(orderAccess.decidePayment, actor, order)

export function paymentState(context: Context, order: Order): FormState {
  const { server, actor } = context
  const open = openOf(amountsOf(server.db, order))
  return {
    mode: 'create',
    stored: proposePayment(server.db, order),
    choices: {},
    hints: {
      amount:
        open > 0
          ? {
              text: 'Left to pay: {amount}',
              params: { amount: { kopecks: open } },
              fill: { kopecks: open, above: 'More than is left to pay' },
            }
          : { text: 'Nothing is left to pay.' },
      ...(!confirms(context, order) && { file: { text: 'Speeds up the check' } }),
    },
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
    unconfirmed: reportedSum(server.db, order.id),
  })
}
