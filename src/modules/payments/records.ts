import { paymentStateLabels } from '../../core/labels.ts'
import { ofPrices } from '../../core/prices.ts'
import { orders, payments } from '../../database/index.ts'
import { choice, option, text } from '../../records/form/form.ts'
import type { Subordinate } from '../../records/history/subordinates.ts'
import { paymentForm } from '../orders/payments/form.ts'

/** What the history tells of payments. */
export const paymentRecords: Subordinate = {
  ...ofPrices,
  table: payments,
  title: 'Payments',
  fields: {
    order_id: choice('Order'),
    state: option('State', paymentStateLabels),
    ...paymentForm.fields,
    reason: text('Reason'),
    statement_line: text('Line of the bank statement'),
  },
  owner: { table: orders, column: payments.order_id },
}
