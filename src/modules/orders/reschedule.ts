import type { FastifyReply, FastifyRequest } from 'fastify'
import { recordLabelFor } from '../../core/default-workflow.ts'
import { type DateField, dateFields, editableFields } from '../../core/order-editable-fields.ts'
import { type ChangedFields, orders, updateRecord } from '../../database/index.ts'
import { url } from '../../http/request/addresses.ts'
import type { Context } from '../../http/request/context.ts'
import { queryOf } from '../../http/request/input.ts'
import { template } from '../../http/request/template.ts'
import { viewOfFormWithConflicts } from '../../records/form/conflict-view.ts'
import { type EditValues, type Entry, type FormState, form, inState } from '../../records/form/form.ts'
import { type Conflict, formSteps } from '../../records/form/steps.ts'
import { listUrl } from '../../records/list/show.ts'
import { hiddenOf, orderForm } from './form.ts'
import { type Order, orderLabel, orderTitle } from './order.ts'
import { tellOfChange } from './tell-of-change.ts'

const { date_make, date_delivery, date_payment, reason, untold } = orderForm.fields

const datesForm = form(orders, [{ title: 'Dates', fields: { date_make, date_delivery, date_payment, reason, untold } }], {
  extras: ['reason', 'untold'],
})

type Dates = ReturnType<typeof viewOfFormWithConflicts> & { title: string; action: string; back: string }

const datesPage = template<Dates>('orders/dates.njk')

/** The dates of an order that somebody may set, with the reason for the history. */
export const saveDates = formSteps({
  form: datesForm,
  mode: 'edit',
  state: formState,
  save(request, values, order: Order) {
    reschedule(request, order, values)
    return { location: returnAddress(request, order), message: ['{name} saved', { name: orderTitle(order, request.t, request.language) }] }
  },
  showAgain: showDates,
})

export function showDates(request: FastifyRequest, reply: FastifyReply, order: Order, entry?: Entry, conflict?: Conflict) {
  const { server, t } = request
  const state = { ...formState(request, order), focus: queryOf(request).get('field') ?? undefined }
  return reply.page(datesPage, {
    ...viewOfFormWithConflicts(datesForm, state, t, entry, conflict),
    title: t('Dates of order {name}', { name: recordLabelFor(request.language, 'orders', orderLabel(order)) }),
    action: `${url(server, `/orders/${order.id}/dates`)}?${queryOf(request)}`,
    back: returnAddress(request, order),
  })
}

function formState({ actor }: Context, order: Order): FormState {
  const open = editableFields(actor, order.statusPermissions)
  const unseen = hiddenOf(actor)
  const sealed = dateFields.filter((name) => !open.has(name))
  return { mode: 'edit', stored: { ...order }, choices: {}, states: { ...inState('sealed', sealed), ...inState('hidden', unseen) } }
}

function reschedule({ server, author }: Context, order: Order, { reason, untold, ...dates }: EditValues<typeof datesForm>): void {
  const moved = (Object.entries(dates) as [DateField, string | null][]).some(([name, day]) => day !== order[name])
  const why: ChangedFields = moved && reason ? { reason: [null, reason] } : {}
  const fields = updateRecord(server.db, orders, { ...order }, dates, orderLabel(order), author, why)
  tellOfChange({ server, author }, order, fields, { reason, untold })
}

/** The list that the form was opened from, at the order's row, or the order's page. */
function returnAddress(request: FastifyRequest, { id }: Order): string {
  const query = queryOf(request)
  if (query.get('return') === 'list') return `${listUrl(request, 'orders')}#orders-${id}`
  const back = query.get('back')
  return url(request.server, `/orders/${id}`) + (back ? `?${new URLSearchParams({ back })}` : '')
}
