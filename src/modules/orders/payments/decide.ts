import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Done } from '../../../web/action.ts'
import { url } from '../../../web/addresses.ts'
import type { Context } from '../../../web/context.ts'
import { HttpError } from '../../../web/errors.ts'
import { flash } from '../../../web/flash.ts'
import { type Entry, formWithoutTable, text } from '../../../web/form/form.ts'
import { submit } from '../../../web/form/submit.ts'
import { type FormView, viewOfForm } from '../../../web/form/view.ts'
import { bodyOf, queryOf } from '../../../web/input.ts'
import { template } from '../../../web/view/template.ts'
import { findOrder, type Order } from '../order.ts'
import { pageAddress } from '../page/neighbors.ts'
import { showPage } from '../page/order-page.ts'
import { describeSubject } from '../transitions/describe-step.ts'
import { confirmPayment, rejectPayment } from './decision.ts'
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
function showProblem(request: FastifyRequest, reply: FastifyReply, { id }: Order, error: unknown): FastifyReply {
  const order = findOrder(request.server.db, id)
  if (!(error instanceof HttpError) || (error.status !== 409 && error.status !== 422) || !order) throw error
  return showPage(request, reply.code(error.status), order, { problem: request.t(error.message, error.params) })
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

export function showRejection(request: FastifyRequest, reply: FastifyReply, named: PaymentWithOrder): FastifyReply {
  return sendRejection(request, reply, named)
}

export async function reject(request: FastifyRequest, reply: FastifyReply, named: PaymentWithOrder) {
  try {
    return await submit(request, reply, {
      form: rejectionForm,
      mode: 'create',
      record: named,
      state: () => formState,
      save: ({ reason }, { entered }) => rejectPayment(request.server, entered, reason, request.author),
      location: () => addressOf(request, named, queryOf(request)),
      saved: () => flash(request, 'Payment rejected'),
      rerender: (entry) => sendRejection(request, reply, named, entry),
    })
  } catch (error) {
    return showProblem(request, reply, named, error)
  }
}

const formState = { mode: 'create' as const, stored: {}, choices: {}, focus: 'reason' }

function sendRejection(request: FastifyRequest, reply: FastifyReply, named: PaymentWithOrder, entry?: Entry): FastifyReply {
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
