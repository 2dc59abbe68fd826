import { eq, inArray, or } from 'drizzle-orm'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { allows, allowsAll, ignoringScope, isDealer } from '../../core/access.ts'
import { companies } from '../../database/index.ts'
import { action } from '../../http/action.ts'
import { url } from '../../http/request/addresses.ts'
import type { Context } from '../../http/request/context.ts'
import { ValidationFailed } from '../../http/request/errors.ts'
import { type FormInput, inputOf, parseId } from '../../http/request/input.ts'
import { template } from '../../http/request/template.ts'
import { ownUpload } from '../../http/uploads/uploaded.ts'
import { today } from '../../i18n/format.ts'
import { type FindChoices, loadChoices, showChoices } from '../../records/form/choices.ts'
import { acceptedFiles, type CreateValues, type Entry, type FormState, inState } from '../../records/form/form.ts'
import { formAction } from '../../records/form/form-action.ts'
import { type FormView, viewOfForm } from '../../records/form/view.ts'
import { companyAccess } from '../companies/access.ts'
import { findCompanyChoices } from '../companies/choices.ts'
import { anyCompany } from '../companies/first-company.ts'
import { paymentAccess } from '../ledger/access.ts'
import { companyBalance, companyOfEntries } from '../ledger/balance.ts'
import { findPayer, type Payer } from '../ledger/payer.ts'
import type { Payment } from '../ledger/payment.ts'
import { enterPayment } from './decision.ts'
import { newPaymentForm } from './form.ts'
import { type SplitView, viewOfSplit, withProposal } from './split-view.ts'

interface AddPage {
  title: string
  action: string
  back: string
  form: FormView
  reports: boolean
  split: SplitView | undefined
}

const addPage = template<AddPage>('payments/add.njk')

/** Companies whose payments somebody may enter. */
const findPayers: FindChoices = (context, by) => {
  const { server, actor } = context
  const { manager_id, manufacture_id, stock_id } = companies
  const own = or(inArray(manager_id, actor.managers), eq(manufacture_id, actor.manufacture_id ?? 0), eq(stock_id, actor.stock_id ?? 0))
  const found = findCompanyChoices(server.db, by, allowsAll(paymentAccess.report, actor) ? undefined : own)
  return found.filter(({ id }) => permittedPayer(context, id))
}

/** A payment of any company that somebody sees. */
export function addPaymentRoutes(app: FastifyInstance): void {
  const access = ignoringScope(paymentAccess.report)
  app.get('/payments/add', { access }, (request, reply) => showAdd(request, reply))
  app.post('/payments/add', action({ access, ...acceptedFiles(newPaymentForm, 'create') }, addPayment))
  app.get('/payments/companies', { access: paymentAccess.add, answers: 'fragment' }, showChoices(findPayers))
}

const addPayment = formAction({
  form: newPaymentForm,
  mode: 'create',
  state: (request, _record, input) => newPaymentState(request, input),
  save(request, values) {
    const { id, state } = enterCompanyPayment(request, values)
    const message = state === 'confirmed' ? 'Payment entered' : 'Payment reported. It counts once it is confirmed.'
    return { location: url(request.server, `/payments/${id}`), record_id: id, message: [message] }
  },
  showAgain: (request, reply, _record, entry) => showAdd(request, reply, entry),
})

/** Enters a payment of a company, which pays the orders that are named. */
export function enterCompanyPayment(context: Context, { allocations, ...values }: CreateValues<typeof newPaymentForm>): Payment {
  const { actor } = context
  // A dealer pays for the own company.
  const payer = permittedPayer(context, isDealer(actor) ? (actor.company_id ?? 0) : values.company_id)
  if (!payer) throw new ValidationFailed({ company_id: 'Choose a value from the list.' })
  return enterPayment(context, { ...values, company_id: payer.id }, confirms(context), splitOf(allocations))
}

/** A row without an amount pays nothing; one without an order is refused. */
export function splitOf(rows: CreateValues<typeof newPaymentForm>['allocations'] = []) {
  return (rows ?? []).map(({ order_id, amount }) => ({ order_id: order_id ?? 0, amount: amount ?? 0 }))
}

const confirms = ({ actor }: Context) => allows(paymentAccess.add, actor)

function permittedPayer({ server, actor }: Context, id: number): Payer | undefined {
  const payer = findPayer(server.db, id)
  return payer && allows(paymentAccess.report, actor, payer) ? payer : undefined
}

function showAdd(request: FastifyRequest, reply: FastifyReply, entry?: Entry): FastifyReply {
  const { server, t } = request
  const state = newPaymentState(request, inputOf(request))
  const payer = confirms(request) ? permittedPayer(request, parseId(entry?.typed.company_id) ?? Number(state.stored.company_id)) : undefined
  const shown = withProposal(request, state, entry, payer)
  return reply.page(addPage, {
    title: confirms(request) ? t('Enter payment') : t('Report payment'),
    action: url(server, '/payments/add'),
    back: url(server, '/payments'),
    form: viewOfForm(newPaymentForm, shown.state, t, shown.entry),
    reports: !confirms(request),
    split: payer && viewOfSplit(payer, shown, companyBalance(server.db, payer.id).credit),
  })
}

/** @param input what the address and the form say */
export function newPaymentState(context: Context, input: FormInput): FormState {
  const { server, actor } = context
  const suggested = suggestedPayer(context, input)
  return {
    mode: 'create',
    stored: { date: today(), kind: 'transfer', company_id: suggested?.id },
    choices: confirms(context)
      ? { company_id: loadChoices(context, input, 'company_id', suggested ? [{ id: suggested.id, name: suggested.org }] : [], findPayers) }
      : {},
    states: confirms(context) ? {} : inState('hidden', ['company_id', 'allocations']),
    hints: anyCompany(server.db).get() ? {} : { company_id: lackOfPayers(context) },
    focus: suggested || !confirms(context) ? 'amount' : 'company_id',
    fileName: (key) => ownUpload(server.db, key, actor.id)?.name,
  }
}

/** What is missing where there is no company yet, and where it is added. */
function lackOfPayers({ actor }: Context) {
  return { text: 'There are no companies yet. Add one first.', path: allows(companyAccess.add, actor) ? '/company/add' : undefined }
}

/** The company that the address names, or that of the order which it names. */
function suggestedPayer(context: Context, { query }: FormInput): Payer | undefined {
  const order = parseId(query.get('order'))
  const id = order === undefined ? parseId(query.get('company')) : companyOfEntries(context.server.db, order)
  return id ? permittedPayer(context, id) : undefined
}
