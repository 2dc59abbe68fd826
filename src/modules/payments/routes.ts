import type { FastifyInstance } from 'fastify'
import type { Actor } from '../../core/access.ts'
import { onRecord } from '../../http/access/record-routes.ts'
import { action } from '../../http/action.ts'
import { acceptedFiles } from '../../records/form/form.ts'
import { hourly } from '../../records/jobs/hourly.ts'
import { listRoutes } from '../../records/list/routes.ts'
import { paymentAccess } from '../ledger/access.ts'
import { findPayment, paymentFiles } from '../ledger/payment.ts'
import { paymentForm } from '../ledger/payment-form.ts'
import { orderAccess } from '../orders/access.ts'
import { findOrder } from '../orders/order.ts'
import { confirmPayments } from './bulk-confirm.ts'
import { confirm, reject, showRejection } from './decide.ts'
import { sendPayment, showPaymentForm } from './enter.ts'
import { countReported, paymentList, reportedAddress } from './list.ts'
import { showPayment } from './page.ts'
import { paymentRecords } from './records.ts'
import { paymentResource } from './resource.ts'
import { statementRoutes } from './statement/routes.ts'
import { tellOfDueDays } from './tell-of-due-days.ts'

export async function paymentRoutes(app: FastifyInstance): Promise<void> {
  const list = paymentList(app.db)
  app.subordinates.push(paymentRecords)
  app.filesBesideCards.push(paymentFiles)
  app.jobKinds.set('due-days', hourly(tellOfDueDays))
  const waiting = { path: `/payments${reportedAddress}`, count: (actor: Actor) => countReported(app.db, actor) }
  listRoutes(app, list, { icon: 'wallet', section: 'Sales', waiting })
  app.records.set(list.name, { list, api: paymentResource })
  confirmPayments(app, list)
  await app.register(statementRoutes)
  const record = findPayment
  app.get('/payments/:id', onRecord({ access: paymentAccess.view, record }, showPayment))
  const decide = { access: paymentAccess.decide, record }
  app.post('/payments/:id/confirm', action(decide, confirm))
  app.get('/payments/:id/reject', onRecord(decide, showRejection))
  app.post('/payments/:id/reject', action(decide, reject))
  const report = { access: orderAccess.reportPayment, record: findOrder }
  app.get('/orders/:id/payments', onRecord(report, showPaymentForm))
  app.post('/orders/:id/payments', action({ ...report, ...acceptedFiles(paymentForm, 'create') }, sendPayment))
}
