import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { onRecord } from '../../http/access/record-routes.ts'
import { action } from '../../http/action.ts'
import { queryOf } from '../../http/request/input.ts'
import { template } from '../../http/request/template.ts'
import { today } from '../../i18n/format.ts'
import { blankState, type Entry } from '../../records/form/form.ts'
import { formAction } from '../../records/form/form-action.ts'
import { type FormView, viewOfForm } from '../../records/form/view.ts'
import { paymentAccess } from '../ledger/access.ts'
import { findPayment, type Payment } from '../ledger/payment.ts'
import { unlessDecided } from './decide.ts'
import { correctionForm, reversalForm } from './form.ts'
import { describePlace, paymentAddress } from './place.ts'
import { correctPayment, reversePayment } from './reversal.ts'

interface PutRightPage {
  title: string
  about: string
  notice: string
  action: string
  back: string
  form: FormView
  /** Whether it is taken back for good. */
  reverses: boolean
}

const putRightPage = template<PutRightPage>('payments/put-right.njk')

/** A confirmed payment is taken back, or written anew. */
export function putRightRoutes(app: FastifyInstance): void {
  const decide = { access: paymentAccess.decide, record: findPayment }
  app.get('/payments/:id/reverse', onRecord(decide, showReversal))
  app.post('/payments/:id/reverse', action(decide, reverse))
  app.get('/payments/:id/correct', onRecord(decide, showCorrection))
  app.post('/payments/:id/correct', action(decide, correct))
}

const reverse = unlessDecided(
  formAction({
    form: reversalForm,
    mode: 'create',
    state: reversalState,
    save(request, { date, reason }, payment: Payment) {
      reversePayment(request, payment, { date, reason })
      return { location: addressOf(request, payment), message: ['Payment reversed'] }
    },
    showAgain: showReversal,
  }),
)

const correct = unlessDecided(
  formAction({
    form: correctionForm,
    mode: 'create',
    state: correctionState,
    save(request, values, payment: Payment) {
      const entered = correctPayment(request, payment, values)
      return { location: addressOf(request, entered), record_id: entered.id, message: ['Payment corrected'] }
    },
    showAgain: showCorrection,
  }),
)

function reversalState(request: FastifyRequest) {
  const reason = queryOf(request).get('reason')?.slice(0, 500)
  return { ...blankState, stored: { date: today(), reason }, focus: 'reason' }
}

function correctionState(_request: FastifyRequest, { amount, date }: Payment) {
  return { ...blankState, stored: { amount, date }, focus: 'amount' }
}

function showReversal(request: FastifyRequest, reply: FastifyReply, payment: Payment, entry?: Entry): FastifyReply {
  const { t } = request
  return show(request, reply, payment, {
    title: t('Reverse payment'),
    notice: t('A counter-entry is booked on that day. What the payment pays ends: its orders lack money again.'),
    action: addressOf(request, payment, '/reverse'),
    reverses: true,
    form: viewOfForm(reversalForm, reversalState(request), t, entry),
  })
}

function showCorrection(request: FastifyRequest, reply: FastifyReply, payment: Payment, entry?: Entry): FastifyReply {
  const { t } = request
  return show(request, reply, payment, {
    title: t('Correct payment'),
    notice: t('The payment is reversed and entered anew with this amount and date. It pays the same orders as far as it reaches.'),
    action: addressOf(request, payment, '/correct'),
    reverses: false,
    form: viewOfForm(correctionForm, correctionState(request, payment), t, entry),
  })
}

function show(request: FastifyRequest, reply: FastifyReply, payment: Payment, page: Omit<PutRightPage, 'about' | 'back'>): FastifyReply {
  const about = [describePlace(request, payment), request.t.money(payment.amount)].filter(Boolean).join(' · ')
  return reply.page(putRightPage, { ...page, about, back: addressOf(request, payment) })
}

const addressOf = (request: FastifyRequest, payment: Pick<Payment, 'id'>, page?: string) =>
  paymentAddress(request.server, payment, queryOf(request), page)
