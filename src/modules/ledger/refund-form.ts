import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { payments } from '../../database/index.ts'
import { onRecord } from '../../http/access/record-routes.ts'
import { action } from '../../http/action.ts'
import { url } from '../../http/request/addresses.ts'
import type { Context } from '../../http/request/context.ts'
import { ValidationFailed } from '../../http/request/errors.ts'
import { template } from '../../http/request/template.ts'
import { today } from '../../i18n/format.ts'
import { number } from '../../records/fields/index.ts'
import { blankState, type Entry, type FormState, form } from '../../records/form/form.ts'
import { formAction } from '../../records/form/form-action.ts'
import { type FormView, viewOfForm } from '../../records/form/view.ts'
import { paymentAccess } from './access.ts'
import { companyBalance, companyOfEntries } from './balance.ts'
import { findPayer, type Payer } from './payer.ts'
import { paymentForm } from './payment-form.ts'
import { bookRefund } from './refund.ts'

const { amount, date, kind, note } = paymentForm.fields

const refundForm = form(payments, [
  {
    title: 'Refund',
    fields: { amount, date, kind, order_id: number('Order number', { least: 1, most: 999_999_999 }), note },
  },
])

interface RefundPage {
  title: string
  action: string
  back: string
  form: FormView
}

const refundPage = template<RefundPage>('ledger/refund.njk')

export function refundRoutes(app: FastifyInstance): void {
  const refund = { access: paymentAccess.decide, record: findPayer }
  app.get('/company/:id/refund', onRecord(refund, showRefund))
  app.post('/company/:id/refund', action(refund, sendRefund))
}

/** Money paid back to a company. */
const sendRefund = formAction({
  form: refundForm,
  mode: 'create',
  state: formState,
  save(request, { order_id = null, note = null, ...values }, { id: company_id }: Payer) {
    const { server, author } = request
    if (order_id !== null && companyOfEntries(server.db, order_id) !== company_id)
      throw new ValidationFailed({ order_id: 'This company has no such order.' })
    const { id } = bookRefund(server.db, { ...values, company_id, order_id, note }, author)
    return { location: url(server, `/payments/${id}`), record_id: id, message: ['Refund booked'] }
  },
  showAgain: showRefund,
})

function formState({ server }: Context, { id }: Payer): FormState {
  const kopecks = companyBalance(server.db, id).credit
  return {
    ...blankState,
    stored: { date: today(), kind: 'transfer' },
    hints: {
      amount: {
        text: 'Credit of the company: {amount}',
        params: { amount: { kopecks } },
        ...(kopecks > 0 && { fill: { kopecks, above: 'More than the unallocated balance' } }),
      },
    },
    focus: 'amount',
  }
}

function showRefund(request: FastifyRequest, reply: FastifyReply, payer: Payer, entry?: Entry): FastifyReply {
  const { server, t } = request
  return reply.page(refundPage, {
    title: t('Refund: {company}', { company: payer.org }),
    action: url(server, `/company/${payer.id}/refund`),
    back: url(server, `/company/edit/${payer.id}?tab=ledger`),
    form: viewOfForm(refundForm, formState(request, payer), t, entry),
  })
}
