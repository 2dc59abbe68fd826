import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { paymentStateLabels } from '../../core/labels.ts'
import { onRecord } from '../../web/access/record-routes.ts'
import { url } from '../../web/addresses.ts'
import type { Problem } from '../../web/errors.ts'
import { formWithoutTable, option, paragraph } from '../../web/form/form.ts'
import { isEarlierVersion, saveForm, unknownVersion } from '../../web/form/submit.ts'
import { findPayment, type Payment, paymentsOf } from '../ledger/payment.ts'
import { orderAccess } from '../orders/access.ts'
import { findOrder, type Order } from '../orders/order.ts'
import { confirmPayment, rejectPayment } from '../orders/payments/decision.ts'
import { paymentForm } from '../orders/payments/form.ts'
import { findPaymentWithOrder, type PaymentWithOrder } from '../orders/payments/payment.ts'
import { paymentState, enterPayment as savePayment } from '../orders/payments/report.ts'
import { type JsonObject, jsonObject } from './json-body.ts'
import { jsonOfPayment } from './payment-json.ts'
import { ApiProblem, invalid } from './problem.ts'
import { readJson } from './read-json.ts'
import { refuseUnsaved } from './save.ts'
import { sendJson } from './send-json.ts'

/** Payments of an order: listed, reported or entered, confirmed or rejected as on its page. */
export function paymentRoutes(scope: FastifyInstance): void {
  const answers = 'json'
  scope.get('/v1/orders/:id/payments', onRecord({ access: orderAccess.viewPayments, record: findOrder, answers }, listPayments))
  scope.post('/v1/orders/:id/payments', onRecord({ access: orderAccess.reportPayment, record: findOrder, answers }, enterPayment))
  scope.patch('/v1/payments/:id', onRecord({ access: orderAccess.decidePayment, record: findPaymentWithOrder, answers }, decidePayment))
}

function listPayments(request: FastifyRequest, reply: FastifyReply, { id }: Order): FastifyReply {
  const items = paymentsOf(request.server.db, id).map((payment) => jsonOfPayment(request, payment))
  return sendJson(reply, { items, next: null })
}

async function enterPayment(request: FastifyRequest, reply: FastifyReply, order: Order): Promise<FastifyReply> {
  const { server } = request
  const sent = readJson(request, paymentForm, 'create')
  const saved = saveForm(
    request,
    {
      form: paymentForm,
      mode: 'create',
      record: order,
      state: (current) => paymentState(request, current),
      save: (values, current) => savePayment(request, current, values),
      location: ({ id }) => url(server, `/api/v1/payments/${id}`),
    },
    sent,
  )
  const { location, id = -1 } = await saved.catch((error) => refuseUnsaved(request, paymentForm, error))
  const payment = findPayment(server.db, id)
  return sendJson(reply.code(201).header('Location', location), payment ? jsonOfPayment(request, payment) : {})
}

const decisions = { confirmed: paymentStateLabels.confirmed, rejected: paymentStateLabels.rejected }

export const decisionForm = formWithoutTable([
  { title: 'Payment', fields: { state: option('State', decisions, { required: true }), reason: paragraph('Reason', { max: 500 }) } },
])

const decisionState = { mode: 'create' as const, stored: {}, choices: {} }

/** Confirms or rejects a payment as its order's page would; one that is in that state already stays as it is. */
async function decidePayment(request: FastifyRequest, reply: FastifyReply, named: PaymentWithOrder): Promise<FastifyReply> {
  const { server, author } = request
  const sent = readJson(request, decisionForm, 'create', ['version'])
  const errors = findDecisionProblems(jsonObject(request))
  if (Object.keys(errors).length > 0) throw invalid(request, errors)
  const saved = saveForm(
    request,
    {
      form: decisionForm,
      mode: 'create',
      record: named,
      state: () => decisionState,
      save: ({ state, reason }, { entered }) => {
        refuseChanged(request, entered, state)
        if (state === 'confirmed') confirmPayment(server, entered, author)
        else rejectPayment(server, entered, reason ?? '', author)
      },
      location: (_, { entered }) => url(server, `/api/v1/payments/${entered.id}`),
    },
    sent,
  )
  await saved.catch((error) => refuseUnsaved(request, decisionForm, error))
  return sendJson(reply, jsonOfPayment(request, findPayment(server.db, named.entered.id) ?? named.entered))
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
