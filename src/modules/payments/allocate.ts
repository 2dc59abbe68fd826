import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { onRecord } from '../../http/access/record-routes.ts'
import { action } from '../../http/action.ts'
import { queryOf } from '../../http/request/input.ts'
import { template } from '../../http/request/template.ts'
import { today } from '../../i18n/format.ts'
import { blankState, type Entry } from '../../records/form/form.ts'
import { formAction } from '../../records/form/form-action.ts'
import { type FormView, viewOfForm } from '../../records/form/view.ts'
import { paymentAccess } from '../ledger/access.ts'
import { allocationsOf } from '../ledger/allocations.ts'
import { companyBalance } from '../ledger/balance.ts'
import { findPayer } from '../ledger/payer.ts'
import { findPayment, type Payment } from '../ledger/payment.ts'
import { splitOf } from './add.ts'
import { splitForm } from './form.ts'
import { paymentAddress } from './place.ts'
import { splitPayment } from './split.ts'
import { type SplitView, viewOfSplit, withProposal } from './split-view.ts'

interface AllocationsPage {
  title: string
  action: string
  back: string
  form: FormView
  split: SplitView | undefined
}

const allocationsPage = template<AllocationsPage>('payments/allocations.njk')

export function allocationRoutes(app: FastifyInstance): void {
  const decide = { access: paymentAccess.decide, record: findPayment }
  app.get('/payments/:id/allocations', onRecord(decide, showAllocations))
  app.post('/payments/:id/allocations', action(decide, saveAllocations))
}

/** Replaces what a payment pays. */
const saveAllocations = formAction({
  form: splitForm,
  mode: 'create',
  state: formState,
  save(request, { allocations }, payment: Payment) {
    splitPayment(request, { ...payment, company_id: payment.company_id ?? 0 }, splitOf(allocations), today())
    return { location: addressOf(request, payment), message: ['Allocations saved'] }
  },
  showAgain: showAllocations,
})

function formState(_request: FastifyRequest, { amount }: Payment) {
  return { ...blankState, stored: { amount } }
}

function showAllocations(request: FastifyRequest, reply: FastifyReply, payment: Payment, entry?: Entry): FastifyReply {
  const { server, t } = request
  const payer = findPayer(server.db, payment.company_id ?? 0)
  const shown = withProposal(request, formState(request, payment), entry, payer, allocationsOf(server.db, payment.id))
  return reply.page(allocationsPage, {
    title: t('Allocate {amount}', { amount: t.money(payment.amount) }),
    action: addressOf(request, payment, '/allocations'),
    back: addressOf(request, payment),
    form: viewOfForm(splitForm, shown.state, t, shown.entry),
    split: payer && viewOfSplit(payer, shown, companyBalance(server.db, payer.id).credit),
  })
}

const addressOf = (request: FastifyRequest, payment: Payment, page?: string) =>
  paymentAddress(request.server, payment, queryOf(request), page)
