import { paymentKindLabels } from '../../core/labels.ts'
import { payments } from '../../database/index.ts'
import { today } from '../../i18n/format.ts'
import { date, FieldError, money, option, paragraph, upload } from '../../records/fields/index.ts'
import { form } from '../../records/form/form.ts'

/** Any amount but nothing. */
export function paidAmount<const O extends { required?: true }>(label: string, options: O) {
  const check = (kopecks: number) => {
    if (kopecks === 0) throw new FieldError('Enter an amount of more than 0.')
  }
  return money<O>(label, { ...options, check })
}

/** A day that has come. */
function paidOn<const O extends { required?: true }>(label: string, options: O) {
  const check = (day: string) => {
    if (day > today()) throw new FieldError('A payment cannot be dated in the future.')
  }
  return date<O>(label, { ...options, check })
}

export const paymentForm = form(payments, [
  {
    title: 'Payment',
    fields: {
      amount: paidAmount('Amount', { required: true }),
      date: paidOn('Date', { required: true }),
      kind: option('Payment type', paymentKindLabels, { required: true }),
      file: upload('File'),
      note: paragraph('Note', { max: 500 }),
    },
  },
])

/** What the form of a step asks for beside the file of a payment: both together report one. */
export const stepPayment = {
  amount: paidAmount('Amount paid', {}),
  date: paidOn('Paid on', {}),
}
