import type { FastifyInstance } from 'fastify'
import { authorize } from '../../http/access/authorize.ts'
import { url } from '../../http/request/addresses.ts'
import type { Context } from '../../http/request/context.ts'
import { notFound } from '../../http/request/errors.ts'
import { template } from '../../http/request/template.ts'
import { formatCalendarDate } from '../../i18n/format.ts'
import type { Translate } from '../../i18n/translate.ts'
import { blankState, formWithoutTable } from '../../records/form/form.ts'
import { type BulkFormView, bulkFormRoutes } from '../../records/list/bulk-form.ts'
import type { List } from '../../records/list/list.ts'
import { paymentAccess } from '../ledger/access.ts'
import { findPayment, type Payment } from '../ledger/payment.ts'
import { confirmPayment } from './decision.ts'
import type { PaymentRow } from './list.ts'
import { describePlace } from './place.ts'

interface ConfirmView extends BulkFormView {
  /** Kopecks that would be booked. */
  sum: number
  decided: number
  /** The only one, which can be rejected instead. */
  only: { address: string; place: string } | undefined
}

const confirmPage = template<ConfirmView>('payments/confirm.njk')

/** Confirms the selected payments, each in a transaction of its own; those that were rejected stay and say so. */
export function confirmPayments(app: FastifyInstance, list: List<PaymentRow>): void {
  const bulk = {
    list,
    path: '/payments/confirm',
    label: 'Confirm…',
    icon: 'check',
    form: formWithoutTable([]),
    formState: () => blankState,
    find: findPayment,
    rule: paymentAccess.decide,
    labelOf: ({ amount, date, reporter_name }: Payment, t: Translate) =>
      [t.money(amount), formatCalendarDate(date), reporter_name].join(' · '),
    read: () => ({}),
    missing: '',
    change: (context: Context, id: number) => confirmOne(context, id),
    title: 'Confirm {count} payments',
    done: '{count} payments confirmed',
    refused: '{count} payments were not confirmed:',
  }
  bulkFormRoutes<Payment, object, ConfirmView>(app, bulk, confirmPage, (context, selected) => {
    const open = selected.filter(({ state }) => state === 'reported')
    const [first] = selected.length === 1 ? open : []
    const only = first && { address: url(app, `/payments/${first.id}`), place: describePlace(context, first) }
    return { sum: open.reduce((sum, { amount }) => sum + amount, 0), decided: selected.length - open.length, only }
  })
}

function confirmOne(context: Context, id: number): void {
  const payment = findPayment(context.server.db, id)
  if (!payment) throw notFound()
  authorize(paymentAccess.decide, context.actor, payment)
  confirmPayment(context, payment)
}
