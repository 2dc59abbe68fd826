import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { onRecord } from '../../http/access/record-routes.ts'
import { action, type Done } from '../../http/action.ts'
import { url } from '../../http/request/addresses.ts'
import type { Context } from '../../http/request/context.ts'
import type { HttpError } from '../../http/request/errors.ts'
import type { Message, UndoForm } from '../../http/request/flash.ts'
import { bodyOf, queryOf } from '../../http/request/input.ts'
import { template } from '../../http/request/template.ts'
import { text } from '../../records/fields/index.ts'
import { blankState, type Entry, formWithoutTable } from '../../records/form/form.ts'
import { type FormActionParts, formAction } from '../../records/form/form-action.ts'
import { type FormView, viewOfForm } from '../../records/form/view.ts'
import { listAddress } from '../../records/list/state.ts'
import { paymentAccess } from '../ledger/access.ts'
import { findPayment, type Payment } from '../ledger/payment.ts'
import { pageAddress } from '../orders/page/neighbors.ts'
import { showPage } from '../orders/page/order-page.ts'
import { type PaymentView, viewOfPayment } from '../orders/payments/section.ts'
import { confirmPayment, PaymentDecided, rejectPayment } from './decision.ts'
import { paymentList } from './list.ts'
import { showPayment } from './page.ts'
import { describePlace, orderBeside, paymentAddress, placeBehind } from './place.ts'

export function decisionRoutes(app: FastifyInstance): void {
  const decide = { access: paymentAccess.decide, record: findPayment }
  app.post('/payments/:id/confirm', action(decide, confirm))
  app.get('/payments/:id/reject', onRecord(decide, showRejection))
  app.post('/payments/:id/reject', action(decide, reject))
}

/** POST of the button beside a reported payment. Confirming a confirmed one again changes nothing. */
const confirm = {
  perform: (request: FastifyRequest, payment: Payment): Done => {
    confirmPayment(request, payment)
    const sent = bodyOf(request)
    return {
      location: paymentPlace(request, payment, sent),
      message: ['Payment confirmed: {amount} · {place}', describeDecided(request, payment), { undo: offerReversal(request, payment) }],
    }
  },
  showAgain: showProblem,
}

/** In a list of several one sees of which of them it is said. */
const describeDecided = (context: Context, payment: Payment) => ({
  amount: context.t.money(payment.amount),
  place: describePlace(context, payment),
})

/** What is booked is not undone, but taken back by an entry of its own. */
const offerReversal = ({ server, t }: FastifyRequest, { id }: Payment): UndoForm => ({
  action: url(server, `/payments/${id}/reverse`),
  fields: { reason: t('Confirmed by mistake') },
  asks: 'Take back confirmation',
})

/** What was refused is said where it was asked for. */
export function showProblem(request: FastifyRequest, reply: FastifyReply, payment: Payment, problem: HttpError): FastifyReply {
  const order = orderBeside(request, payment, bodyOf(request))
  const said = request.t(problem)
  return order ? showPage(request, reply, order, { problem: said }) : showPayment(request, reply, payment, said)
}

const rejectionForm = formWithoutTable([
  {
    title: 'Reason',
    fields: {
      reason: text('Reason', { required: true, missing: 'Give a reason.', max: 500, hint: 'Whoever reported the payment reads it.' }),
    },
  },
])

const rejectionPage = template<{ title: string; about: string; action: string; back: string; form: FormView; payment: PaymentView }>(
  'payments/rejection.njk',
)

const reject = unlessDecided(
  formAction({
    form: rejectionForm,
    mode: 'create',
    state: () => formState,
    save(request, { reason }, payment: Payment) {
      rejectPayment(request, payment, reason)
      const message: Message = ['Payment rejected: {amount} · {place}', describeDecided(request, payment)]
      return { location: paymentPlace(request, payment, queryOf(request)), message }
    },
    showAgain: showRejection,
  }),
)

/** A payment that somebody else has decided or put right meanwhile is shown as it is. */
export function unlessDecided(steps: FormActionParts<Payment>): FormActionParts<Payment> {
  return {
    ...steps,
    showAgain: (request, reply, payment, problem, sent) =>
      problem instanceof PaymentDecided
        ? showProblem(request, reply, payment, problem)
        : steps.showAgain(request, reply, payment, problem, sent),
  }
}

const formState = { ...blankState, focus: 'reason' }

function showRejection(request: FastifyRequest, reply: FastifyReply, payment: Payment, entry?: Entry): FastifyReply {
  const { server, t } = request
  const query = queryOf(request)
  return reply.page(rejectionPage, {
    title: t('Reject payment'),
    about: describePlace(request, payment),
    payment: viewOfPayment(request, payment),
    action: `${url(server, `/payments/${payment.id}/reject`)}${query.size > 0 ? `?${query}` : ''}`,
    back: paymentPlace(request, payment, query),
    form: viewOfForm(rejectionForm, formState, t, entry),
  })
}

/** Where somebody sees what became of a payment: where they decided about it, else on its own page. */
function paymentPlace(context: FastifyRequest, payment: Payment, sent: URLSearchParams): string {
  if (sent.has('home')) return url(context.server, '/')
  const behind = sent.has('stays') && placeBehind(context, payment)
  if (behind) return behind
  if (sent.has('list')) return `${listAddress(context, paymentList(context.server.db), sent)}#payments-${payment.id}`
  const order = orderBeside(context, payment, sent)
  return order ? `${pageAddress(context.server, order, sent)}#payments` : paymentAddress(context.server, payment, sent)
}
