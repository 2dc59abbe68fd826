import type { FastifyInstance } from 'fastify'
import type { Actor } from '../../core/access.ts'
import { paymentDirectionLabels, paymentStateLabels } from '../../core/labels.ts'
import { paymentDirections, paymentStates } from '../../core/payments.ts'
import { ofPrices } from '../../core/prices.ts'
import { allocations, companies, orders, payments, prepareOnce, whereIn } from '../../database/index.ts'
import { onRecord } from '../../http/access/record-routes.ts'
import type { Context } from '../../http/request/context.ts'
import { fragment, template } from '../../http/request/template.ts'
import { schemaOf } from '../../records/api/field-schema.ts'
import { shownFields } from '../../records/api/fields-json.ts'
import { idsOf } from '../../records/api/resource.ts'
import { choice, date, money, number, option, text } from '../../records/fields/index.ts'
import { day, integer, kopecks, listOf, moment, objectOf, orNull, string } from '../../records/fields/json-schema.ts'
import type { Subordinate } from '../../records/history/subordinates.ts'
import { hourly } from '../../records/jobs/hourly.ts'
import type { Resource } from '../../records/kind/resource.ts'
import { findPage } from '../../records/list/page.ts'
import { listRoutes } from '../../records/list/routes.ts'
import { loadRows } from '../../records/list/rows.ts'
import { readState } from '../../records/list/state.ts'
import { paymentAccess } from '../ledger/access.ts'
import { findPayment, type Payment, paymentFiles, selectPayments } from '../ledger/payment.ts'
import { paymentForm } from '../ledger/payment-form.ts'
import { jsonOfPayment } from '../ledger/payment-json.ts'
import { refundRoutes } from '../ledger/refund-form.ts'
import { addPaymentRoutes } from './add.ts'
import { allocationRoutes } from './allocate.ts'
import { confirmPayments } from './bulk-confirm.ts'
import { decisionRoutes } from './decide.ts'
import { orderPaymentRoutes } from './enter.ts'
import { countReported, type PaymentRow, paymentList, reportedAddress } from './list.ts'
import { showPayment } from './page.ts'
import { putRightRoutes } from './put-right.ts'
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
  addPaymentRoutes(app)
  app.get('/payments/:id', onRecord({ access: paymentAccess.view, record: findPayment }, showPayment))
  decisionRoutes(app)
  allocationRoutes(app)
  putRightRoutes(app)
  refundRoutes(app)
  orderPaymentRoutes(app)
}

const byIds = prepareOnce((db, params) => selectPayments(db).where(whereIn(payments.id, params.ids)).prepare())

/** Reported and entered at their order; here they are read. */
const paymentResource: Resource<Payment, Payment> = {
  name: 'payments',
  schema: 'Payment',
  table: payments,
  find: findPayment,
  may: paymentAccess,
  rows: ({ server }, ids) => byIds(server.db).all(idsOf(ids)),
  rowJson: jsonOfPayment,
  json: jsonOfPayment,
  fields: {
    ...{ id: integer, version: integer, company_id: orNull(integer), direction: { ...string, enum: [...paymentDirections] } },
    ...{ order_id: orNull(integer), state: { ...string, enum: [...paymentStates] } },
    ...Object.fromEntries(shownFields(paymentForm, []).map(([name, field]) => [name, schemaOf(field)])),
    ...{ reason: orNull(string), allocations: listOf(objectOf({ order_id: integer, amount: kopecks })), credit: kopecks },
    ...{ reporter_id: orNull(integer), reporter: string, decider_id: orNull(integer), decider: orNull(string) },
    ...{
      decided_at: orNull(moment),
      ...{ reversed_on: orNull(day), reverser_id: orNull(integer), reverser: orNull(string), reversed_at: orNull(moment) },
      corrects_id: orNull(integer),
      files: listOf(objectOf({ key: string, name: string, url: string })),
      created_at: moment,
      updated_at: moment,
    },
  },
}

const ids = { least: 1, most: Number.MAX_SAFE_INTEGER }

/** What the history tells of payments. */
const paymentRecords: Subordinate = {
  ...ofPrices,
  table: payments,
  title: 'Payments',
  fields: {
    company_id: choice('Company'),
    order_id: choice('Order'),
    direction: option('Direction', paymentDirectionLabels),
    state: option('State', paymentStateLabels),
    ...paymentForm.fields,
    reason: text('Reason'),
    reversed_on: date('Reversed on'),
    corrects_id: number('Corrects', ids),
    statement_line: text('Line of the bank statement'),
    payer: text('INN or account of the payer'),
  },
  owners: [
    { table: orders, column: payments.order_id },
    { table: companies, column: payments.company_id },
  ],
}

/** What the history tells of what payments pay. */
const allocationRecords: Subordinate = {
  ...ofPrices,
  table: allocations,
  title: 'Allocations',
  fields: {
    company_id: choice('Company'),
    payment_id: number('Payment', ids),
    order_id: choice('Order'),
    refund_id: number('Refund', ids),
    amount: money('Amount', {}),
    date: date('Date'),
  },
  owners: [
    { table: orders, column: allocations.order_id },
    { table: companies, column: allocations.company_id },
  ],
}

interface Reported {
  rows: PaymentRow[]
  count: number
  more: number
  /** The list that shows all of them. */
  address: string
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
  const rows = loadRows(context, list, findPage(context, list, state).ids.slice(0, shown))
  return { widget: { rows, count, more: count - rows.length, address: `/payments${reportedAddress}` } }
})
