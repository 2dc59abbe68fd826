import type { FastifyReply, FastifyRequest } from 'fastify'
import { allows } from '../../../core/access.ts'
import { url } from '../../../web/addresses.ts'
import type { Context } from '../../../web/context.ts'
import { flash } from '../../../web/flash.ts'
import type { Entry, Form, FormState, Submitted } from '../../../web/form/form.ts'
import { type Saving, submit, ValidationFailed } from '../../../web/form/submit.ts'
import { type FormView, viewOfForm } from '../../../web/form/view.ts'
import { queryOf } from '../../../web/input.ts'
import { ownUpload } from '../../../web/uploads/uploaded.ts'
import { template } from '../../../web/view/template.ts'
import { BalanceTooLarge } from '../../ledger/book.ts'
import { type Payment, reportPayment } from '../../ledger/payment.ts'
import { orderAccess } from '../access.ts'
import type { Order } from '../order.ts'
import { pageAddress } from '../page/neighbors.ts'
import { describeSubject } from '../transitions/describe-step.ts'
import { proposePayment } from './amounts.ts'
import { confirmPayment } from './decision.ts'
import { paymentForm } from './form.ts'
import { limitReports } from './limit-reports.ts'
import { tellOfReport } from './tell-of-payment.ts'

const paymentPage = template<{ title: string; about: string; action: string; back: string; form: FormView; reports: boolean }>(
  'orders/payments/form.njk',
)

export function showPaymentForm(request: FastifyRequest, reply: FastifyReply, order: Order): FastifyReply {
  return sendForm(request, reply, order)
}

export function enterPayment(request: FastifyRequest, reply: FastifyReply, order: Order) {
  return submit(request, reply, {
    ...entering(request, order),
    location: () => `${pageAddress(request.server, order, queryOf(request))}#payments`,
    saved: () => flash(request, confirms(request, order) ? 'Payment entered' : 'Payment reported. It counts once it is confirmed.'),
    rerender: (entry) => sendForm(request, reply, order, entry),
  })
}

/** How a payment of an order is entered: reported, or confirmed at once by whoever may confirm. */
export function entering(context: Context, order: Order): Omit<Saving<typeof paymentForm, 'create', Order, Payment>, 'location'> {
  return {
    form: paymentForm,
    mode: 'create',
    record: order,
    state: (current) => formState(context, current),
    save: (values, current) => save(context, current, values),
  }
}

function save(context: Context, order: Order, values: Submitted<typeof paymentForm, 'create'>): Payment {
  const { server, author } = context
  limitReports(context, order)
  try {
    const payment = reportPayment(server.db, { ...values, order_id: order.id }, author)
    if (confirms(context, order)) confirmPayment(server, payment, author)
    else tellOfReport(server, payment, author)
    return payment
  } catch (error) {
    if (error instanceof BalanceTooLarge) throw new ValidationFailed({ amount: error.message })
    throw error
  }
}

const confirms = ({ actor }: Context, order: Order) => allows(orderAccess.decidePayment, actor, order)

function formState({ server, actor }: Context, order: Order): FormState {
  return {
    mode: 'create',
    stored: proposePayment(server.db, order),
    choices: {},
    focus: 'amount',
    fileName: (key) => ownUpload(server.db, key, actor.id)?.name,
  }
}

function sendForm(request: FastifyRequest, reply: FastifyReply, order: Order, entry?: Entry): FastifyReply {
  const { server, t } = request
  const query = queryOf(request)
  const reports = !confirms(request, order)
  return reply.page(paymentPage, {
    title: reports ? t('Report payment') : t('Enter payment'),
    about: describeSubject(request, order),
    action: `${url(server, `/orders/${order.id}/payments`)}${query.size > 0 ? `?${query}` : ''}`,
    back: pageAddress(server, order, query),
    form: viewOfForm(paymentForm as Form, formState(request, order), t, entry),
    reports,
  })
}
