import type { FastifyInstance } from 'fastify'
import { type Actor, ignoringScope } from '../../core/access.ts'
import { onRecord } from '../../http/access/record-routes.ts'
import { action } from '../../http/action.ts'
import { showChoices } from '../../records/form/choices.ts'
import { acceptedFiles } from '../../records/form/form.ts'
import { hourly } from '../../records/jobs/hourly.ts'
import { listRoutes } from '../../records/list/routes.ts'
import { paymentAccess } from '../ledger/access.ts'
import { findPayer } from '../ledger/payer.ts'
import { findPayment, paymentFiles } from '../ledger/payment.ts'
import { paymentForm } from '../ledger/payment-form.ts'
import { sendRefund, showRefund } from '../ledger/refund-form.ts'
import { orderAccess } from '../orders/access.ts'
import { findOrder } from '../orders/order.ts'
import { addPayment, findPayers, showAdd } from './add.ts'
import { saveAllocations, showAllocations } from './allocate.ts'
import { confirmPayments } from './bulk-confirm.ts'
import { confirm, reject, showRejection } from './decide.ts'
import { sendPayment, showPaymentForm } from './enter.ts'
import { newPaymentForm } from './form.ts'
import { countReported, paymentList, reportedAddress } from './list.ts'
import { showPayment } from './page.ts'
import { payFromBalance } from './pay-from-balance.ts'
import { correct, reverse, showCorrection, showReversal } from './put-right.ts'
import { allocationRecords, paymentRecords } from './records.ts'
import { reportedWidget } from './reported.ts'
import { paymentResource } from './resource.ts'
import { statementRoutes } from './statement/routes.ts'
import { tellOfDueDays } from './tell-of-due-days.ts'

export async function paymentRoutes(app: FastifyInstance): Promise<void> {
  const list = paymentList(app.db)
  app.registry.subordinates.push(paymentRecords, allocationRecords)
  app.registry.filesBesideCards.push(paymentFiles)
  app.registry.jobKinds.set('due-days', hourly(tellOfDueDays))
  const waiting = { path: `/payments${reportedAddress}`, count: (actor: Actor) => countReported(app.db, actor) }
  listRoutes(app, list, { icon: 'wallet', section: 'Sales', waiting, letter: 'm' })
  app.records.set(list.name, { list, api: paymentResource })
  app.registry.widgets.push({ rule: paymentAccess.decide, place: 'due', ...reportedWidget })
  confirmPayments(app, list)
  await app.register(statementRoutes)
  const record = findPayment
  const add = ignoringScope(paymentAccess.report)
  app.get('/payments/add', { access: add }, (request, reply) => showAdd(request, reply))
  app.post('/payments/add', action({ access: add, ...acceptedFiles(newPaymentForm, 'create') }, addPayment))
  app.get('/payments/companies', { access: paymentAccess.add, answers: 'fragment' }, showChoices(findPayers))
  app.get('/payments/:id', onRecord({ access: paymentAccess.view, record }, showPayment))
  const decide = { access: paymentAccess.decide, record }
  app.post('/payments/:id/confirm', action(decide, confirm))
  app.get('/payments/:id/reject', onRecord(decide, showRejection))
  app.post('/payments/:id/reject', action(decide, reject))
  app.get('/payments/:id/allocations', onRecord(decide, showAllocations))
  app.post('/payments/:id/allocations', action(decide, saveAllocations))
  app.get('/payments/:id/reverse', onRecord(decide, showReversal))
  app.post('/payments/:id/reverse', action(decide, reverse))
  app.get('/payments/:id/correct', onRecord(decide, showCorrection))
  app.post('/payments/:id/correct', action(decide, correct))
  const refund = { access: paymentAccess.decide, record: findPayer }
  app.get('/company/:id/refund', onRecord(refund, showRefund))
  app.post('/company/:id/refund', action(refund, sendRefund))
  const report = { access: orderAccess.reportPayment, record: findOrder }
  app.get('/orders/:id/payments', onRecord(report, showPaymentForm))
  app.post('/orders/:id/pay-from-balance', action({ access: orderAccess.payFromBalance, record: findOrder }, payFromBalance))
  app.post('/orders/:id/payments', action({ ...report, ...acceptedFiles(paymentForm, 'create') }, sendPayment))
}
