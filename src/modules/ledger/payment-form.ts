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

/** What is earlier is a slip of the keyboard. */
export const earliestDay = '2000-01-01'

/** What is wrong with the day of a payment. */
export function problemOfDay(day: string): string | undefined {
  if (day > today()) return 'A payment cannot be dated in the future.'
  if (day < earliestDay) return 'A payment cannot be dated before 2000.'
}

function paidOn<const O extends { required?: true }>(label: string, options: O) {
  const check = (day: string) => {
    const problem = problemOfDay(day)
    if (problem) throw new FieldError(problem)
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
