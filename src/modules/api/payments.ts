import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { onRecord } from '../../web/access/record-routes.ts'
import { saveForm } from '../../web/form/submit.ts'
import { parseId, url } from '../../web/http.ts'
import { findPayment, paymentsOf } from '../ledger/payment.ts'
import { may } from '../orders/access.ts'
import { findOrder, type Order } from '../orders/order.ts'
import { paymentForm } from '../orders/payments/form.ts'
import { entering } from '../orders/payments/report.ts'
import { readFormBody } from './form-body.ts'
import { presentPayment } from './present-payment.ts'
import { refuseUnsaved } from './save.ts'
import { sendJson } from './send-json.ts'

/** Payments of an order: listed, and reported or entered as on its page. */
export function paymentRoutes(scope: FastifyInstance): void {
  const answers = 'json'
  scope.get('/v1/orders/:id/payments', onRecord({ access: may.viewPayments, record: findOrder, answers }, listPayments))
  scope.post('/v1/orders/:id/payments', onRecord({ access: may.reportPayment, record: findOrder, answers }, enterPayment))
}

function listPayments(request: FastifyRequest, reply: FastifyReply, { id }: Order): FastifyReply {
  const items = paymentsOf(request.server.db, id).map((payment) => presentPayment(request, payment))
  return sendJson(reply, { items, next: null })
}

async function enterPayment(request: FastifyRequest, reply: FastifyReply, order: Order): Promise<FastifyReply> {
  const { server } = request
  request.body = readFormBody(request, paymentForm, 'create')
  const saved = saveForm(
    request,
    entering(request, order, (id) => url(server, `/api/v1/payments/${id}`)),
  )
  const { location } = await saved.catch((error) => refuseUnsaved(request, paymentForm, error))
  const payment = findPayment(server.db, parseId(location.split('/').at(-1)) ?? -1)
  return sendJson(reply.code(201).header('Location', location), payment ? presentPayment(request, payment) : {})
}
