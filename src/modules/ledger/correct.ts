import type { FastifyReply, FastifyRequest } from 'fastify'
import { entryLabels } from '../../core/labels.ts'
import { type companies, type Database, ledgerEntries } from '../../database/index.ts'
import { url } from '../../http/request/addresses.ts'
import type { Context } from '../../http/request/context.ts'
import { ValidationFailed } from '../../http/request/errors.ts'
import { template } from '../../http/request/template.ts'
import { today } from '../../i18n/format.ts'
import { date, decimal, number, option, text } from '../../records/fields/index.ts'
import { blankState, type CreateValues, type Entry, type FormState, form } from '../../records/form/form.ts'
import { formAction } from '../../records/form/form-action.ts'
import { type FormView, viewOfForm } from '../../records/form/view.ts'
import { companyOfEntries } from './balance.ts'
import { bookCorrection } from './book.ts'
import { earliestDay } from './payment-form.ts'
import { bookRefund } from './refund.ts'

type Company = Pick<typeof companies.$inferSelect, 'id' | 'org'>

const { correction, refund } = entryLabels
const most = 100_000_000_000_00

const correctionForm = form(ledgerEntries, [
  {
    title: 'Ledger entry',
    fields: {
      kind: option('Entry', { correction, refund }, { required: true }),
      amount: decimal('Amount', {
        required: true,
        missing: 'Enter an amount.',
        least: -most,
        most,
        hint: 'A correction above zero is in favor of the company, one below zero is owed by it. A refund is what it got back.',
      }),
      date: date('Date', { hint: 'The day of what is booked; empty: today.' }),
      order_id: number('Order number', { least: 1, most: 999_999_999 }),
      note: text('Note', { max: 500 }),
    },
  },
])

interface CorrectionView {
  title: string
  action: string
  back: string
  form: FormView
}

const correctionPage = template<CorrectionView>('ledger/correction.njk')

/**
 * Nothing in a ledger is changed: a mistake gets its counter-entry.
 * @param moveWhenPaid what an order does that has got money by it
 */
export const saveCorrection = (moveWhenPaid: (context: Context, orderId: number) => void) =>
  formAction({
    form: correctionForm,
    mode: 'create',
    state: formState,
    save(request, values, company: Company) {
      const { server, author } = request
      const { kind, ...entry } = readEntry(server.db, company, values)
      if (kind === 'refund') bookRefund(server.db, { ...entry, kind: 'transfer' }, author)
      else bookCorrection(server.db, entry, author)
      if (kind === 'correction' && entry.amount > 0 && entry.order_id !== null) moveWhenPaid(request, entry.order_id)
      return { location: ledgerAddress(request, company), message: ['Ledger entry added'] }
    },
    showAgain: showCorrection,
  })

function formState(): FormState {
  return { ...blankState, stored: { kind: 'correction', date: today() } }
}

function readEntry(db: Database, { id }: Company, values: CreateValues<typeof correctionForm>) {
  const { amount, order_id = null, note = null } = values
  const date = values.date ?? today()
  const kind = values.kind === 'refund' ? 'refund' : 'correction'
  if (amount === 0) throw new ValidationFailed({ amount: 'Enter an amount other than zero.' })
  if (kind === 'refund' && amount < 0) throw new ValidationFailed({ amount: 'Enter an amount of more than 0.' })
  if (date > today()) throw new ValidationFailed({ date: 'An entry cannot be dated in the future.' })
  if (date < earliestDay) throw new ValidationFailed({ date: 'An entry cannot be dated before 2000.' })
  if (order_id !== null && companyOfEntries(db, order_id) !== id)
    throw new ValidationFailed({ order_id: 'This company has no such order.' })
  return { company_id: id, kind, amount, date, order_id, note } as const
}

export function showCorrection(request: FastifyRequest, reply: FastifyReply, company: Company, entry?: Entry) {
  const { server, t } = request
  return reply.page(correctionPage, {
    title: t('Ledger entry: {company}', { company: company.org }),
    action: url(server, `/company/${company.id}/ledger`),
    back: ledgerAddress(request, company),
    form: viewOfForm(correctionForm, formState(), t, entry),
  })
}

const ledgerAddress = ({ server }: Context, { id }: Company) => url(server, `/company/edit/${id}?tab=ledger`)
