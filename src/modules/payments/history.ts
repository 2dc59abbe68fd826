import { paymentDirectionLabels, paymentStateLabels } from '../../core/labels.ts'
import { ofPrices } from '../../core/prices.ts'
import { allocations, companies, orders, payments } from '../../database/index.ts'
import { choice, date, money, number, option, text } from '../../records/fields/index.ts'
import type { Subordinate } from '../../records/history/subordinates.ts'
import { paymentForm } from '../ledger/payment-form.ts'

export const ids = { least: 1, most: Number.MAX_SAFE_INTEGER }

/** What the history tells of payments. */
export const paymentRecords: Subordinate = {
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
export const allocationRecords: Subordinate = {
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
