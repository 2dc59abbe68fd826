import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { allows } from '../../../core/access.ts'
import { onRecord } from '../../../http/access/record-routes.ts'
import { action } from '../../../http/action.ts'
import { url } from '../../../http/request/addresses.ts'
import { flashOf, type Message } from '../../../http/request/flash.ts'
import { bodyOf, type FormInput, inputOf, queryOf, wantsFragment } from '../../../http/request/input.ts'
import { template } from '../../../http/request/template.ts'
import { saveRecord } from '../../../records/card/save-record.ts'
import { viewOfConflicts, withMerged } from '../../../records/form/conflict-view.ts'
import { acceptedFiles, type Entry, type FormState, fieldsOf } from '../../../records/form/form.ts'
import { type Conflict, formAction } from '../../../records/form/form-action.ts'
import { viewOfForm } from '../../../records/form/view.ts'
import { formStateOf } from '../../../records/kind/form-state.ts'
import { backToList } from '../../../records/list/show.ts'
import { orderAccess } from '../access.ts'
import { orderCard } from '../card.ts'
import { findOrder, type Order, orderTitle } from '../order.ts'
import { viewOfTotals } from '../pricing/form-totals.ts'
import { type OrderSection, orderSections, sectionPath } from '../sections.ts'
import { describeSubject } from '../transitions/describe-step.ts'
import { showPage } from './order-page.ts'

const sectionTemplate = template<ReturnType<typeof viewOfSection>>('orders/page/edit-section.njk')

/** Each section of an order is edited by itself, under the rule of its fields. */
export function sectionRoutes(app: FastifyInstance): void {
  const record = findOrder
  for (const section of orderSections) {
    const { name, access, form } = section
    const path = sectionPath(':id', name)
    const save = action({ access, record, ...acceptedFiles(form, 'edit') }, saveSection(section))
    app.get(path, onRecord({ access, record }, showSection(section)))
    app.post(path, save)
    // Where a document is missing, the page takes it.
    if (name === 'documents') app.post('/orders/:id/documents', save)
  }
}

/** The form of a section of an order, for the dialog over its page or, without scripts, as a page. */
function showSection(section: OrderSection) {
  return (request: FastifyRequest, reply: FastifyReply, order: Order, entry?: Entry, conflict?: Conflict) =>
    reply.page(sectionTemplate, viewOfSection(request, section, order, entry, conflict))
}

/** Saves what a section has, and nothing else. */
function saveSection(section: OrderSection) {
  return formAction({
    form: section.form,
    mode: 'edit',
    state: (request, order: Order, input) => formState(request, order, input),
    save(request, values, order) {
      saveRecord(request, orderCard, order, values)
      return { ...placeAfter(request, section, order), message: describeSaved(request, section, order) }
    },
    showAgain: showSection(section),
  })
}

function viewOfSection(request: FastifyRequest, section: OrderSection, order: Order, entry?: Entry, conflict?: Conflict) {
  const { t, language } = request
  const { form, name } = section
  const query = queryOf(request)
  const state = formState(request, order, inputOf(request))
  const focus = query.get('field') ?? [...fieldsOf(form, state).keys()][0]
  const [shown, typed] = conflict ? [withMerged(form, state, t, conflict)] : [state, entry]
  const { inputs, ...totals } = name === 'lines' ? viewOfTotals(request, order, shown, typed) : {}
  const title = t(section.title)
  return {
    title: `${title} · ${orderTitle(order, t, language)}`,
    heading: title,
    about: describeSubject(request, order),
    name,
    form: viewOfForm(
      form,
      { ...shown, ...inputs, focus, computed: { ...shown.computed, ...inputs?.computed }, summarizes: true },
      t,
      typed,
    ),
    conflicts: conflict && viewOfConflicts(form, state, t, conflict),
    ...totals,
    action: request.url,
    rowAddress: url(request.server, `/orders/edit/${order.id}`),
    back: returnAddress(request, section, order),
    place: fromList(request) ? t('Orders') : orderTitle(order, t, language),
    /** From the page of the order, which is what changes. */
    onPage: !fromList(request),
  }
}

/** What somebody may not change stands on the page. */
function formState(request: FastifyRequest, order: Order, input: FormInput): FormState {
  const state = formStateOf(orderCard, request, order, input)
  const states = Object.entries(state.states ?? {}).map(([name, one]) => [name, one === 'locked' ? 'sealed' : one])
  return { ...state, states: Object.fromEntries(states) }
}

function describeSaved({ t }: FastifyRequest, { title }: OrderSection, { id }: Order): [string, Record<string, unknown>] {
  return ['{name} saved', { name: t('{section}, order #{number}', { section: t(title), number: id }) }]
}

/** The page of the order, unless it has gone to a company whose orders this person does not see. */
function placeAfter(request: FastifyRequest, section: OrderSection, { id }: Order) {
  const { server, actor } = request
  const order = findOrder(server.db, id) as Order
  if (!allows(orderAccess.view, actor, order)) return { location: url(server, allows(orderAccess.list, actor) ? '/orders' : '/') }
  const location = returnAddress(request, section, order)
  if (fromList(request)) return { location }
  return {
    // To scripts the address of the page alone would say nothing new.
    location: wantsFragment(request) ? (location.split('#')[0] as string) : location,
    fragment: (reply: FastifyReply, message?: Message) =>
      showPage(request, reply.headers({ 'HX-Retarget': '#order', 'HX-Reswap': 'outerHTML' }), findOrder(server.db, id) as Order, {
        flash: message && flashOf(request, message),
      }),
  }
}

const fromList = (request: FastifyRequest) => queryOf(request).get('return') === 'list'

/** The list that the form was opened from, at the order's row, or where the order's page has the section. */
function returnAddress(request: FastifyRequest, { name }: OrderSection, { id }: Order): string {
  if (fromList(request)) return `${backToList(request, 'orders')}#orders-${id}`
  const back = queryOf(request).get('back') ?? bodyOf(request).get('back')
  const page = url(request.server, `/orders/${id}`) + (back ? `?${new URLSearchParams({ back })}` : '')
  return name === 'dates' ? page : `${page}#edit-${name}`
}
