import { orderFiles } from '../../../core/order-editable-fields.ts'
import { findProblems } from '../../../core/plan-transition.ts'
import type { RequirableField, Transition } from '../../../core/transition-rules.ts'
import type { Context } from '../../../http/request/context.ts'
import { ownUpload } from '../../../http/uploads/uploaded.ts'
import type { Fields } from '../../../records/fields/index.ts'
import { type FormState, formWithoutTable, inState, type Section } from '../../../records/form/form.ts'
import { stepPayment } from '../../ledger/payment-form.ts'
import { orderForm, unseenOf } from '../form.ts'
import type { Order } from '../order.ts'
import { proposePayment } from '../payments/amounts.ts'
import { missingIn } from './describe-problems.ts'
import { describeSubject } from './describe-step.ts'
import { stepFacts } from './step-facts.ts'
import { asksForPayment, asRequired, transitionForm } from './step-form.ts'

export const isFile = (name: RequirableField): boolean => orderFiles.some((file) => file === name)

export const fileInput = ({ id }: Order, name: RequirableField) => `files[${id}][${name}]`

/** The file that proves a payment, which nobody has to send with its amount. */
const proofInput = (order: Order) => fileInput(order, 'payment_order')

export const amountInput = ({ id }: Order) => `payments[${id}][amount]`

/** What a step of many orders asks: of each what is its own, under its name, and of all together the rest. */
export function bulkForm(context: Context, transition: Transition, orders: Order[]) {
  const own = orders.map((order) => ownQuestions(context, transition, order)).filter(({ fields }) => Object.keys(fields).length > 0)
  const paying = orders.filter((order) => asksForPayment(context, transition, order))
  const missing = new Set<string>(orders.flatMap((order) => lackingFor(context, transition, order)).filter((name) => !isFile(name)))
  const shared = Object.entries(orderForm.fields).filter(([name]) => missing.has(name))
  const { note } = transitionForm(transition, []).fields
  const needed = { ...Object.fromEntries(shared), ...(paying.length > 0 && { date: stepPayment.date }) }
  const together = { ...needed, note }
  const sections = [...own, { title: 'All orders', fields: together }]
  const form = formWithoutTable(orders.length > 1 ? sections : [{ title: 'Data', fields: { ...own[0]?.fields, ...together } }])
  const proposed = paying.map((order) => [order, proposePayment(context.server.db, order)] as const)
  const [first] = proposed.map(([, { date, kind }]) => ({ date, payment: kind }))
  const stored = { ...Object.fromEntries(proposed.map(([order, { amount }]) => [amountInput(order), amount])), ...first }
  const names = [...own.map(({ fields }) => fields), needed].flatMap(Object.keys)
  const proofs = Object.fromEntries(paying.map((order) => [proofInput(order), { required: false }]))
  const computed = { ...asRequired(names), ...proofs }
  const fileName = (key: string) => ownUpload(context.server.db, key, context.actor.id)?.name
  const state: FormState = {
    mode: 'edit',
    stored,
    choices: {},
    states: inState('hidden', unseenOf(context.actor)),
    fileName,
    computed,
  }
  return { form, page: state }
}

/** The files that an order lacks and that this person may see. */
export function missingFilesOf(context: Context, transition: Transition, order: Order): RequirableField[] {
  const unseen = unseenOf(context.actor)
  return lackingFor(context, transition, order)
    .filter(isFile)
    .filter((name) => !unseen.includes(name))
}

/** What somebody has to fill in for a step that they may take with an order. */
function lackingFor(context: Context, transition: Transition, order: Order): RequirableField[] {
  return missingIn(findProblems(order, transition, {}, stepFacts(context, order))).map(({ field }) => field)
}

function ownQuestions(context: Context, transition: Transition, order: Order): Section {
  const files = missingFilesOf(context, transition, order).map((name) => [fileInput(order, name), (orderForm.fields as Fields)[name]])
  const amount = asksForPayment(context, transition, order) ? [[amountInput(order), stepPayment.amount]] : []
  return { title: describeSubject(context, order), fields: Object.fromEntries([...amount, ...files]) }
}
