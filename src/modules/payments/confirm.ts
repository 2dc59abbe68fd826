import type { FastifyInstance } from 'fastify'
import { authorize } from '../../http/access/policy-hook.ts'
import type { FindRecord } from '../../http/request/app-types.ts'
import type { Context } from '../../http/request/context.ts'
import { notFound } from '../../http/request/errors.ts'
import { template } from '../../http/request/template.ts'
import { formatCalendarDate } from '../../i18n/format.ts'
import type { Translate } from '../../i18n/translate.ts'
import { formWithoutTable } from '../../records/form/form.ts'
import { type BulkFormView, bulkFormRoutes } from '../../records/list/bulk-form.ts'
import type { List } from '../../records/list/state.ts'
import { confirmPayment } from '../orders/payments/decision.ts'
import { findPaymentWithOrder, type PaymentWithOrder } from '../orders/payments/payment.ts'
import { paymentAccess } from './access.ts'
import type { PaymentRow } from './list.ts'

interface ConfirmView extends BulkFormView {
  /** Kopecks that would be booked. */
  sum: number
  decided: number
}

const confirmPage = template<ConfirmView>('payments/confirm.njk')

/** A payment by its own id, with what its order decides about access. */
const findDecidable: FindRecord<PaymentWithOrder> = (db, id) => {
  const payment = findPaymentWithOrder(db, id)
  return payment && { ...payment, id }
}

/** Confirms the selected payments, each in a transaction of its own; those that were rejected stay and say so. */
export function confirmPayments(app: FastifyInstance, list: List<PaymentRow>): void {
  const bulk = {
    list,
    path: '/payments/confirm',
    form: formWithoutTable([]),
    formState: () => ({ mode: 'create' as const, stored: {}, choices: {} }),
    find: findDecidable,
    rule: paymentAccess.decide,
    labelOf: ({ entered }: PaymentWithOrder, t: Translate) =>
      [t.money(entered.amount), formatCalendarDate(entered.date), entered.reporter_name].join(' · '),
    read: () => ({}),
    missing: '',
    change: (context: Context, id: number) => confirmOne(context, id),
    title: 'Confirm {count} payments',
    done: '{count} payments confirmed',
    refused: '{count} payments were not confirmed:',
    card: '/payments/',
  }
  bulkFormRoutes<PaymentWithOrder, object, ConfirmView>(app, bulk, confirmPage, (_acting, selected) => {
    const open = selected.filter(({ entered }) => entered.state === 'reported')
    return { sum: open.reduce((sum, { entered }) => sum + entered.amount, 0), decided: selected.length - open.length }
  })
}

function confirmOne({ server, actor, author }: Context, id: number): void {
  const payment = findDecidable(server.db, id)
  if (!payment) throw notFound()
  authorize(paymentAccess.decide, actor, payment)
  confirmPayment(server, payment.entered, author)
}
