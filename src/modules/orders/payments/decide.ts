import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Done } from '../../../http/action.ts'
import { url } from '../../../http/request/addresses.ts'
import type { Context } from '../../../http/request/context.ts'
import type { HttpError } from '../../../http/request/errors.ts'
import { bodyOf, queryOf } from '../../../http/request/input.ts'
import { template } from '../../../http/request/template.ts'
import { type Entry, formWithoutTable, text } from '../../../records/form/form.ts'
import { formSteps } from '../../../records/form/steps.ts'
import { type FormView, viewOfForm } from '../../../records/form/view.ts'
import { findOrder, type Order } from '../order.ts'
import { pageAddress } from '../page/neighbors.ts'
import { showPage } from '../page/order-page.ts'
import { describeSubject } from '../transitions/describe-step.ts'
import { confirmPayment, PaymentDecided, rejectPayment } from './decision.ts'
import type { PaymentWithOrder } from './payment.ts'
import { type PresentedPayment, viewOfPayment } from './section.ts'

/** POST of the button beside a reported payment. Confirming a confirmed one again changes nothing. */
export const confirm = {
  perform: (request: FastifyRequest, named: PaymentWithOrder): Done => {
    confirmPayment(request.server, named.entered, request.author)
    return { location: addressOf(request, named, bodyOf(request)), message: ['Payment confirmed'] }
  },
  showAgain: showProblem,
}

/** What was refused is said on the page of the order. */
function showProblem(request: FastifyRequest, reply: FastifyReply, { id }: Order, problem: HttpError): FastifyReply {
  const order = findOrder(request.server.db, id)
  if (!order) throw problem
  return showPage(request, reply, order, { problem: request.t(problem.message, problem.params) })
}

const rejectionForm = formWithoutTable([
  {
    title: 'Reason',
    fields: { reason: text('Reason', { required: true, max: 500, hint: 'Whoever reported the payment reads it.' }) },
  },
])

const rejectionPage = template<{ title: string; about: string; action: string; back: string; form: FormView; payment: PresentedPayment }>(
  'orders/payments/rejection.njk',
)

const rejection = formSteps({
  form: rejectionForm,
  mode: 'create',
  state: () => formState,
  save(request, { reason }, named: PaymentWithOrder) {
    rejectPayment(request.server, named.entered, reason, request.author)
    return { location: addressOf(request, named, queryOf(request)), message: ['Payment rejected'] }
  },
  showAgain: showRejection,
})

export const reject: typeof rejection = {
  ...rejection,
  showAgain: (request, reply, named, problem) =>
    problem instanceof PaymentDecided ? showProblem(request, reply, named, problem) : rejection.showAgain(request, reply, named, problem),
}

const formState = { mode: 'create' as const, stored: {}, choices: {}, focus: 'reason' }

export function showRejection(request: FastifyRequest, reply: FastifyReply, named: PaymentWithOrder, entry?: Entry): FastifyReply {
  const { server, t } = request
  const query = queryOf(request)
  return reply.page(rejectionPage, {
    title: t('Reject payment'),
    about: describeSubject(request, named),
    payment: viewOfPayment(request, named.entered),
    action: `${url(server, `/payments/${named.entered.id}/reject`)}${query.size > 0 ? `?${query}` : ''}`,
    back: addressOf(request, named, query),
    form: viewOfForm(rejectionForm, formState, t, entry),
  })
}

const addressOf = ({ server }: Context, order: Order, sent: URLSearchParams) => `${pageAddress(server, order, sent)}#payments`
