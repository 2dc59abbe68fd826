import type { FastifyInstance } from 'fastify'
import type { Actor } from '../../core/access.ts'
import { onRecord } from '../../http/access/record-routes.ts'
import type { Context } from '../../http/request/context.ts'
import { fragment, template } from '../../http/request/template.ts'
import { hourly } from '../../records/jobs/hourly.ts'
import { findPage } from '../../records/list/page.ts'
import { loadRows } from '../../records/list/rows.ts'
import { readState } from '../../records/list/state.ts'
import { addRecord } from '../../records/record.ts'
import { paymentAccess } from '../ledger/access.ts'
import { findPayment, findPayments, type Payment, paymentFiles } from '../ledger/payment.ts'
import { refundRoutes } from '../ledger/refund-form.ts'
import { type PaymentView, viewOfFile } from '../orders/payments/section.ts'
import { addPaymentRoutes } from './add.ts'
import { allocationRoutes } from './allocate.ts'
import { confirmPayments } from './bulk-confirm.ts'
import { showChoices } from './choices.ts'
import { decisionRoutes } from './decide.ts'
import { orderPaymentRoutes } from './enter.ts'
import { allocationRecords, paymentRecords } from './history.ts'
import { countReported, type PaymentRow, paymentList, reportedAddress } from './list.ts'
import { showPayment } from './page.ts'
import { payFromBalanceRoutes } from './pay-from-balance.ts'
import { putRightRoutes } from './put-right.ts'
import { paymentResource } from './resource.ts'
import { statementRoutes } from './statement/routes.ts'
import { tellOfDueDays } from './tell-of-due-days.ts'

export async function paymentRoutes(app: FastifyInstance): Promise<void> {
  const list = paymentList(app.db)
  app.registry.subordinates.push(paymentRecords, allocationRecords)
  app.registry.filesBesideCards.push(paymentFiles)
  app.registry.jobKinds.set('due-days', hourly(tellOfDueDays))
  const waiting = { path: `/payments${reportedAddress}`, count: (actor: Actor) => countReported(app.db, actor) }
  addRecord(app, {
    list,
    api: paymentResource,
    menu: { icon: 'wallet', section: 'Sales', waiting, letter: 'm', says: ['money, bank, transfers'] },
  })
  app.registry.widgets.push({ rule: paymentAccess.decide, place: 'due', lists: '/payments', ...reportedWidget })
  confirmPayments(app, list)
  await app.register(statementRoutes)
  addPaymentRoutes(app)
  app.get('/payments/:id', onRecord({ access: paymentAccess.view, record: findPayment }, showPayment))
  app.get('/payments/:id/steps', onRecord({ access: paymentAccess.view, record: findPayment }, showChoices))
  decisionRoutes(app)
  allocationRoutes(app)
  putRightRoutes(app)
  refundRoutes(app)
  orderPaymentRoutes(app)
  payFromBalanceRoutes(app)
}

interface Reported {
  rows: (PaymentRow & { slip: PaymentView['file'] })[]
  count: number
  more: number
  /** The list that shows all of them, and its query, by which one goes from each to the next. */
  address: string
  back: string
}

const reportedPart = template<{ widget: Reported | undefined }>('payments/reported.njk')

const shown = 5

/** What somebody may confirm, on their dashboard: the latest of the payments that wait for it. */
const reportedWidget = fragment(reportedPart, (context: Context) => {
  const { server, actor } = context
  const count = countReported(server.db, actor)
  if (count === 0) return { widget: undefined }
  const list = paymentList(server.db)
  const state = readState(list, new URLSearchParams(reportedAddress), actor)
  const ids = findPage(context, list, state).ids.slice(0, shown)
  const rows = loadRows(context, list, ids)
  const stored = findPayments(server.db, ids)
  const withSlips = rows.map((row) => ({ ...row, slip: viewOfFile(server.db, stored.get(row.id) as Payment) }))
  return { widget: { rows: withSlips, count, more: count - rows.length, address: `/payments${reportedAddress}`, back: reportedAddress } }
})
