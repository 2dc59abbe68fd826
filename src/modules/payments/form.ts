import { payments } from '../../database/index.ts'
import { choice, money, number, paragraph, repeater } from '../../records/fields/index.ts'
import { form } from '../../records/form/form.ts'
import { paymentForm } from '../ledger/payment-form.ts'

/** What a payment pays; a row without an amount pays nothing. */
const allocations = repeater(
  'Orders',
  { order_id: number('Order', { least: 1, most: 999_999_999 }), amount: money('Amount', {}) },
  { key: 'id', rowLabel: 'Order', ignoresBlank: true },
)

const { amount, date, kind, file, note } = paymentForm.fields

export const newPaymentForm = form(
  payments,
  [
    {
      title: 'Payment',
      fields: {
        company_id: choice('Company', {
          required: true,
          missing: 'Choose a company.',
          source: '/payments/companies',
          searchHint: 'Organization',
        }),
        amount,
        date,
        kind,
        file,
        note,
      },
    },
    { title: 'Orders', fields: { allocations } },
  ],
  { extras: ['allocations'] },
)

export const splitForm = form(payments, [{ title: 'Orders', fields: { allocations } }], { extras: ['allocations'] })

const reason = paragraph('Reason', {
  required: true,
  missing: 'Give a reason.',
  max: 500,
  hint: 'Whoever was told of the payment reads it.',
})

export const reversalForm = form(payments, [{ title: 'Reversal', fields: { date, reason } }])

export const correctionForm = form(payments, [{ title: 'Correction', fields: { amount, date, reason } }])
