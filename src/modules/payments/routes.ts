import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Actor } from '../../core/access.ts'
import { onRecord } from '../../http/access/record-routes.ts'
import { url } from '../../http/request/addresses.ts'
import { listRoutes } from '../../records/list/routes.ts'
import { findPaymentWithOrder, type PaymentWithOrder } from '../orders/payments/payment.ts'
import { paymentAccess } from './access.ts'
import { confirmPayments } from './confirm.ts'
import { countReported, paymentList, reportedAddress } from './list.ts'
import { paymentRecords } from './records.ts'
import { paymentResource } from './resource.ts'
import { statementRoutes } from './statement/routes.ts'

export async function paymentRoutes(app: FastifyInstance): Promise<void> {
  const list = paymentList(app.db)
  app.subordinates.push(paymentRecords)
  const waiting = { path: `/payments${reportedAddress}`, count: (actor: Actor) => countReported(app.db, actor) }
  listRoutes(app, list, { icon: 'wallet', section: 'Sales', waiting })
  app.records.set(list.name, { list, api: paymentResource })
  confirmPayments(app, list)
  await app.register(statementRoutes)
  app.get('/payments/:id', onRecord({ access: paymentAccess.view, record: findPaymentWithOrder, answers: 'redirect' }, showAtOrder))
}

/** A payment is shown among those of its order. */
function showAtOrder({ server }: FastifyRequest, reply: FastifyReply, { entered }: PaymentWithOrder): FastifyReply {
  return reply.redirect(`${url(server, `/orders/${entered.order_id}`)}#payments`, 303)
}
