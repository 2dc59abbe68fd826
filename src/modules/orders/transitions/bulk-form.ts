import { missingFields, type RequirableField, type Transition } from '../../../core/transition-rules.ts'
import type { Acting } from '../../../web/acting.ts'
import { type Fields, type FormState, formWithoutTable, type Group, inState } from '../../../web/form/form.ts'
import { ownUpload } from '../../../web/uploads/uploaded.ts'
import { orderFiles, orderForm, unseenOf } from '../form.ts'
import type { Order } from '../order.ts'
import { amountsOf } from '../payments/amounts.ts'
import { stepPayment } from '../payments/form.ts'
import { describeSubject } from './describe-step.ts'
import { asksForPayment, transitionForm } from './step-form.ts'

export const orderFileInputs = new RegExp(`^files\\[\\d{1,15}\\]\\[(${orderFiles.join('|')})\\]$`)

export const isFile = (name: RequirableField): boolean => orderFiles.includes(name)

export const fileInput = ({ id }: Order, name: RequirableField) => `files[${id}][${name}]`
export const amountInput = ({ id }: Order) => `payments[${id}][amount]`

/** What a step of many orders asks: of each what is its own, under its name, and of all together the rest. */
export function bulkForm(acting: Acting, transition: Transition, orders: Order[]) {
  const own = orders.map((order) => ownQuestions(acting, transition, order)).filter(({ fields }) => Object.keys(fields).length > 0)
  const paying = orders.filter((order) => asksForPayment(acting, transition, order))
  const missing = new Set<string>(orders.flatMap((order) => missingFields(transition, order)).filter((name) => !isFile(name)))
  const shared = Object.entries(orderForm.fields).filter(([name]) => missing.has(name))
  const { note } = transitionForm(transition, []).fields
  const form = formWithoutTable([
    { title: 'Required fields', fields: Object.fromEntries(shared) },
    ...own,
    { title: 'Payment', fields: paying.length > 0 ? { date: stepPayment.date } : {} },
    { title: 'Optional', fields: { note } },
  ])
  const stored = Object.fromEntries(paying.map((order) => [amountInput(order), leftOf(acting, order)]))
  const fileName = (key: string) => ownUpload(acting.server.db, key, acting.actor.id)?.name
  const state: FormState = { mode: 'edit', stored, choices: {}, states: inState('hidden', unseenOf(acting.actor)), fileName }
  return { form, page: state }
}

/** The files that an order lacks and that this person may see. */
export function missingFilesOf({ actor }: Acting, transition: Transition, order: Order): RequirableField[] {
  const unseen = unseenOf(actor)
  return missingFields(transition, order)
    .filter(isFile)
    .filter((name) => !unseen.includes(name))
}

function ownQuestions(acting: Acting, transition: Transition, order: Order): Group {
  const files = missingFilesOf(acting, transition, order).map((name) => [fileInput(order, name), (orderForm.fields as Fields)[name]])
  const amount = asksForPayment(acting, transition, order) ? [[amountInput(order), stepPayment.amount]] : []
  return { title: describeSubject(acting, order), fields: Object.fromEntries([...files, ...amount]) }
}

/** In kopecks; nothing where nothing is left to pay. */
function leftOf({ server }: Acting, order: Order): number | null {
  const { left } = amountsOf(server.db, order)
  return left > 0 ? left : null
}
