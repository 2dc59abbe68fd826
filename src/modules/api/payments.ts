import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ignoringScope } from '../../core/access.ts'
import { paymentStateLabels } from '../../core/labels.ts'
import { onRecord } from '../../http/access/record-routes.ts'
import { action } from '../../http/action.ts'
import { url } from '../../http/request/addresses.ts'
import type { Context } from '../../http/request/context.ts'
import type { Problem } from '../../http/request/errors.ts'
import type { Result } from '../../http/submissions/idempotency.ts'
import { today } from '../../i18n/format.ts'
import { type JsonObject, jsonObject } from '../../records/api/json-body.ts'
import { ApiProblem, invalid } from '../../records/api/problem.ts'
import { readJson } from '../../records/api/read-json.ts'
import { sendCreated, sendJson } from '../../records/api/send-json.ts'
import { option, paragraph } from '../../records/fields/index.ts'
import { isEarlierVersion } from '../../records/form/changes-since.ts'
import { blankState, formWithoutTable } from '../../records/form/form.ts'
import { formAction, unknownVersion } from '../../records/form/form-action.ts'
import { paymentAccess } from '../ledger/access.ts'
import { findPayment, type Payment, paymentsOf } from '../ledger/payment.ts'
import { paymentForm } from '../ledger/payment-form.ts'
import { jsonOfPayment } from '../ledger/payment-json.ts'
import { orderAccess } from '../orders/access.ts'
import { findOrder, type Order } from '../orders/order.ts'
import { enterCompanyPayment, newPaymentState, splitOf } from '../payments/add.ts'
import { confirmPayment, rejectPayment } from '../payments/decision.ts'
import { enterOrderPayment, paymentState } from '../payments/enter.ts'
import { newPaymentForm, reversalForm, splitForm } from '../payments/form.ts'
import { reversePayment } from '../payments/reversal.ts'
import { splitPayment } from '../payments/split.ts'

/** Payments of an order: listed, reported or entered, confirmed or rejected as on its page. */
export function paymentRoutes(scope: FastifyInstance): void {
  const answers = 'json'
  scope.get('/v1/orders/:id/payments', onRecord({ access: orderAccess.viewPayments, record: findOrder, answers }, listPayments))
  scope.post('/v1/orders/:id/payments', action({ access: orderAccess.reportPayment, record: findOrder, answers }, enter))
  scope.post('/v1/payments', action({ access: ignoringScope(paymentAccess.report), answers }, add))
  scope.post('/v1/payments/:id/allocations', action({ access: paymentAccess.decide, record: findPayment, answers }, allocate))
  scope.post('/v1/payments/:id/reverse', action({ access: paymentAccess.decide, record: findPayment, answers }, reverse))
  scope.patch('/v1/payments/:id', action({ access: paymentAccess.decide, record: findPayment, answers }, decide))
}

function listPayments(request: FastifyRequest, reply: FastifyReply, { id }: Order): FastifyReply {
  const items = paymentsOf(request.server.db, id).map((payment) => jsonOfPayment(request, payment))
  return sendJson(reply, { items, next: null })
}

const enter = formAction({
  form: paymentForm,
  mode: 'create',
  read: readJson,
  state: paymentState,
  save(request, values, order: Order) {
    const { id } = enterOrderPayment(request, order, values)
    return { location: addressOf(request, id), record_id: id }
  },
  answer: sendNewPayment,
})

const add = formAction({
  form: newPaymentForm,
  mode: 'create',
  read: readJson,
  state: (request, _record, input) => newPaymentState(request, input),
  save(request, values) {
    const { id } = enterCompanyPayment(request, values)
    return { location: addressOf(request, id), record_id: id }
  },
  answer: sendNewPayment,
})

/** Replaces what a payment pays. */
const allocate = formAction({
  form: splitForm,
  mode: 'create',
  read: readJson,
  state: () => blankState,
  save(request, { allocations }, payment: Payment) {
    splitPayment(request, { ...payment, company_id: payment.company_id ?? 0 }, splitOf(allocations), today())
    return { location: addressOf(request, payment.id) }
  },
  answer: sendPayment,
})

const reverse = formAction({
  form: reversalForm,
  mode: 'create',
  read: readJson,
  state: () => blankState,
  save(request, reversal, payment: Payment) {
    reversePayment(request, payment, reversal)
    return { location: addressOf(request, payment.id) }
  },
  answer: sendPayment,
})

const decisions = { confirmed: paymentStateLabels.confirmed, rejected: paymentStateLabels.rejected }

export const decisionForm = formWithoutTable([
  { title: 'Payment', fields: { state: option('State', decisions, { required: true }), reason: paragraph('Reason', { max: 500 }) } },
])

/** Confirms or rejects a payment as its order's page would; one that is in that state already stays as it is. */
const decide = formAction({
  form: decisionForm,
  mode: 'create',
  read(request, form, mode) {
    const sent = readJson(request, form, mode, ['version'])
    const errors = findDecisionProblems(jsonObject(request))
    if (Object.keys(errors).length > 0) throw invalid(request, errors)
    return sent
  },
  state: () => blankState,
  save(request, { state, reason }, payment: Payment) {
    refuseChanged(request, payment, state)
    if (state === 'confirmed') confirmPayment(request, payment)
    else rejectPayment(request, payment, reason ?? '')
    return { location: addressOf(request, payment.id) }
  },
  answer: sendPayment,
})

const addressOf = ({ server }: FastifyRequest, id: number): string => url(server, `/api/v1/payments/${id}`)

function sendNewPayment(request: FastifyRequest, reply: FastifyReply, _: unknown, { location, record_id }: Result): FastifyReply {
  return sendCreated(reply, location, jsonOfId(request, record_id))
}

function sendPayment(request: FastifyRequest, reply: FastifyReply, { id }: Payment): FastifyReply {
  return sendJson(reply, jsonOfId(request, id))
}

function jsonOfId(context: Context, id: Result['record_id']): object {
  const payment = findPayment(context.server.db, id ?? -1)
  return payment ? jsonOfPayment(context, payment) : {}
}

const required: Problem = { message: 'Required' }

function findDecisionProblems({ version, state, reason }: JsonObject): Record<string, Problem> {
  return {
    ...((version ?? null) === null && { version: required }),
    ...((state ?? null) === null && { state: required }),
    ...(state === 'rejected' && !String(reason ?? '').trim() && { reason: required }),
    ...(state === 'confirmed' && reason && { reason: { message: 'Only rejected payments have a reason.' } }),
  }
}

function refuseChanged(request: FastifyRequest, { state, version }: Payment, wanted: string): void {
  const { version: named } = jsonObject(request)
  if (!isEarlierVersion(named, version)) throw invalid(request, { version: unknownVersion })
  if (state === wanted || version === named) return
  throw new ApiProblem(409, 'Somebody else has changed this payment meanwhile. Nothing was saved.')
}
