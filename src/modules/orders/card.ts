import type { FastifyRequest } from 'fastify'
import { allows, isDealer } from '../../core/access.ts'
import { ofPrices } from '../../core/prices.ts'
import { statusById } from '../../core/transition-rules.ts'
import { type ChangedFields, differencesOf, diffFields, orders, updateRecord } from '../../database/index.ts'
import type { Done } from '../../http/action.ts'
import { url } from '../../http/request/addresses.ts'
import type { Context } from '../../http/request/context.ts'
import { HttpError, ValidationFailed } from '../../http/request/errors.ts'
import { bodyOf, type FormInput, inputOf, parseId, queryOf } from '../../http/request/input.ts'
import { template } from '../../http/request/template.ts'
import { viewOfChanges } from '../../records/card/list-tabs.ts'
import { editPage } from '../../records/card/show.ts'
import { choice, date, money, number } from '../../records/fields/index.ts'
import type { EditValues, Entry, FormState } from '../../records/form/form.ts'
import { mayReadHistory } from '../../records/history/list.ts'
import { type Card, type CardFrame, cardAddress, cardPart, type FormTab } from '../../records/kind/card.ts'
import type { ListRegion } from '../../records/list/show.ts'
import { settleOrder } from '../ledger/book.ts'
import { recordViewsTab } from '../record-views/tab.ts'
import { loadWorkflow } from '../workflow/load.ts'
import { orderAccess } from './access.ts'
import { createOrder, orderingCompany } from './create-order.ts'
import { type DraftState, viewOfDraft } from './drafts/draft.ts'
import { orderForm } from './form.ts'
import { orderFormState } from './form-state.ts'
import { lacksProducts, neededFirst } from './needed-first.ts'
import { findOrder, type Order, type OrderChanges, orderLabel, orderMissing, orderTitle } from './order.ts'
import { viewOfLead } from './page/lead.ts'
import { viewOfCompany } from './page/people.ts'
import { type LineTotals, viewOfTotals } from './pricing/form-totals.ts'
import { agreedOn, itemsOf, saveItems } from './pricing/lines.ts'
import { findLineProblems, priceOrder } from './pricing/price-order.ts'
import { companyOfForm } from './pricing/typed-lines.ts'
import { viewOfRepeated } from './repeat-order.ts'
import { tellOfChange } from './tell-of-change.ts'
import { enterStatus } from './transitions/apply-plan.ts'
import { viewOfCardSteps } from './transitions/card-steps.ts'
import { historyOf, latestStep, viewOfHistory } from './transitions/history.ts'
import { describeMove, failedAttempt, type TransitionAction, transitionAction } from './transitions/move-order.ts'
import { offerUndo } from './transitions/undo-step.ts'

const orderPanel = template<CardFrame & FormTab & OrderPanel>('orders/card.njk')
const historyPage = template<
  CardFrame & { history: ReturnType<typeof viewOfHistory> } & ReturnType<typeof viewOfLead> & Partial<ListRegion>
>('orders/history.njk')

export const orderCard: Card<Order, typeof orderForm> = {
  list: 'orders',
  path: '/orders',
  page: '/orders',
  form: orderForm,
  may: orderAccess,
  find: findOrder,
  missing: orderMissing,
  titleOf: orderTitle,
  formState: cardState,
  creation: { title: 'New order', done: '{name} placed', create: createOrder },
  save: saveOrder,
  next: (_request, { id }, before) => (before ? undefined : `/orders/${id}`),
  extraFields: {
    status_id: choice('Status'),
    company_id: choice('Company'),
    specification_number: number('Specification No.', { least: 1, most: Number.MAX_SAFE_INTEGER }),
    due_since: date('Payment due since', ofPrices),
    cost: money('Cost', ofPrices),
  },
  tabs: [
    { name: 'history', label: 'History', rule: orderAccess.view, ...cardPart(historyPage, loadHistory) },
    recordViewsTab('orders', '/orders'),
  ],
  panel: cardPart(orderPanel, loadPanel),
}

export const moveFromCard: TransitionAction = {
  ...transitionAction(movedOnCard),
  showAgain(request, reply, order, problem, sent) {
    const steps = viewOfCardSteps(request, order, failedAttempt(request, order, problem, sent))
    return editPage(request, reply, orderCard, order, { more: { steps } })
  },
}

function cardState(context: Context, order: Order | undefined, input: FormInput): FormState {
  const state = orderFormState(context, order, input)
  return { ...state, findProblems: (entry) => findLineProblems(context, order, state, entry) }
}

function loadHistory(request: FastifyRequest, order: Order) {
  const changes = allows(mayReadHistory, request.actor) ? viewOfChanges(request, orderCard, order) : {}
  const history = viewOfHistory(request, historyOf(request.server.db).all({ order: order.id }))
  return { history, ...viewOfLead(request, order, viewOfCompany(request, order)), ...changes }
}

function movedOnCard(request: FastifyRequest, order: Order): Done {
  const moved = findOrder(request.server.db, order.id) as Order
  const [text, params] = describeMove(request, moved)
  const undo = offerUndo(request, latestStep(request.server.db, moved.id))
  return {
    location: cardAddress(request),
    message: [text, params, { undo }],
    fragment: (reply) => editPage(request, reply, orderCard, moved, { more: { flash: { text: request.t(text, params), undo } } }),
  }
}

function saveOrder(context: Context, order: Order, input: EditValues<typeof orderForm>): void {
  const { db } = context.server
  const { items, seen_total, agreed, agreed_reason, agreed_raises, reason, untold, ...fields } = input
  if (fields.dealer_id === null) throw new ValidationFailed({ dealer_id: 'Choose a dealer.' })
  const values: OrderChanges = fields
  // What stayed with a company goes, with another dealer, where that one goes.
  if (fields.dealer_id) {
    values.company_id = orderingCompany(db, fields.dealer_id)
    values.company_stays = false
  }
  const rows: ChangedFields = {}
  const written = itemsOf(db, order.id)
  // A discount for the whole order changes lines that the form leaves as they are.
  const sent = items ?? (agreed == null ? undefined : written.map((item) => ({ ...item, agreed: agreedOn(item) })))
  if (sent) {
    const company = values.company_id ?? order.owner_company_id
    const priced = priceOrder(context, company, sent, written, { seen_total, agreed, agreed_reason, agreed_raises })
    values.cost = priced.cost
    rows.items = saveItems(db, order.id, priced.items)
  }
  const differing: ChangedFields = { ...diffFields(orders, { ...order }, values), ...differencesOf(rows) }
  if (reason && Object.keys(differing).length > 0) rows.reason = [null, reason]
  const changed = updateRecord(db, orders, { ...order }, values, orderLabel(order), context.author, rows)
  settleOrder(db, order.id, context.author)
  tellOfChange(context, order, changed, { reason, untold })
}

type OrderPanel = { draft?: DraftState } & LineTotals &
  Partial<ReturnType<typeof viewOfHead>> &
  ReturnType<typeof viewOfRepeated> & { needed?: ReturnType<typeof neededFirst> }

function loadPanel(request: FastifyRequest, order: Order | undefined, state: FormState, entry?: Entry): OrderPanel {
  const { db } = request.server
  return {
    ...viewOfTotals(request, order, state, entry),
    ...(!order && { draft: viewOfDraft(request, inputOf(request)) }),
    ...(order ? viewOfHead(request, order) : viewOfRepeated(request, queryOf(request), companyOfForm(request, order, state, entry))),
    ...(!order && (!isDealer(request.actor) || lacksProducts(db)) && { needed: neededFirst(db) }),
  }
}

function viewOfHead(request: FastifyRequest, order: Order) {
  return {
    stepAddress: cardAddress(request),
    pageAddress: url(request.server, `/orders/${order.id}`),
    steps: viewOfCardSteps(request, order),
    ...viewOfLead(request, order, viewOfCompany(request, order)),
  }
}

/** An order whose status was deleted may get any status. */
export function assignStatus(request: FastifyRequest, order: Order): Done {
  const to = statusById(loadWorkflow(request.server.db), parseId(bodyOf(request).get('status_id')))
  if (!to) throw new HttpError(422, 'Choose a value from the list.')
  enterStatus(request, order.id, to)
  return movedOnCard(request, order)
}
