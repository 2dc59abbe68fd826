import { type Actor, group } from '../../core/access.ts'
import { lineLimits } from '../../core/order-cost.ts'
import { editableFields, fieldsOfNewOrder, orderFields } from '../../core/order-editable-fields.ts'
import { ofPrices, seesPrices } from '../../core/prices.ts'
import { requirableFields as names } from '../../core/transition-rules.ts'
import { categories, orders } from '../../database/index.ts'
import type { Acting } from '../../web/acting.ts'
import {
  choice,
  date,
  email,
  holdsFile,
  money,
  number,
  option,
  paragraph,
  phone,
  readOnlyText,
  repeater,
  shownMoney,
  text,
  toggle,
  upload,
} from '../../web/form/fields.ts'
import { type FormState, form, type Row, unseenFields } from '../../web/form/form.ts'
import type { PresentedInput } from '../../web/form/view.ts'
import { type FormInput, forbidden, page } from '../../web/http.ts'
import { savedName, uploadedName } from '../../web/uploads/uploaded.ts'
import { nameChoices } from '../companies/choices.ts'
import { discountLimit } from '../companies/discount-limit.ts'
import { productChoicesOfRows } from '../companies/product-choices.ts'
import { longestSide } from '../products/form.ts'
import { isDealer, mayAddCustom, usesCatalog } from './catalog.ts'
import { currentDealerChoice, dealerChoices, suggestedDealer } from './dealer-choices.ts'
import { draftFiles, namedDraft } from './drafts/draft.ts'
import { agreedOn, type Item, itemsOf, plainItem } from './items.ts'
import type { Order } from './order.ts'
import { repeatedValues } from './repeat-order.ts'

type LineInputs = Record<'product_id' | 'quantity' | 'name' | 'category_id' | 'price' | 'agreed', PresentedInput> & {
  index: string
  line: object
}

const orderLine = page<LineInputs>('orders/line.njk')

const paymentTypes = { cash: 'Cash', card: 'Bank card', transfer: 'Bank transfer' }
const deliveryMethods = { pickup: 'Pickup', address: 'Delivery to address', carrier: 'Freight carrier' }

const side = { least: 1, most: longestSide }

const agreedDiscount = number('Agreed discount, %', { least: 0, most: 100, ...ofPrices })

const line = {
  category_id: choice('Category', { required: true }),
  name: text('Product', { required: true }),
  product_id: choice('Catalog product', { source: '/orders/products' }),
  width: number('Width, mm', side),
  height: number('Height, mm', side),
  quantity: number('Quantity', { required: true, least: 1, most: lineLimits.quantity }),
  price: money('Price', { required: true, most: lineLimits.price, ...ofPrices }),
  discount: readOnlyText('Discount', ofPrices),
  sum: readOnlyText('Amount', ofPrices),
  agreed: agreedDiscount,
  agreed_reason: readOnlyText('Reason of the agreed discount', ofPrices),
}

/** What pages and sheets show of an order beside its lines and documents. */
export const orderGroups = {
  customer: {
    title: 'Customer',
    fields: {
      receiver: text(names.receiver),
      phone: phone(names.phone),
      email: email(names.email),
      comment: paragraph('Comment', { max: 2000 }),
    },
  },
  delivery: {
    title: 'Delivery and payment',
    fields: {
      delivery: option(names.delivery, deliveryMethods),
      address: text(names.address, { max: 500 }),
      payment: option(names.payment, paymentTypes, ofPrices),
      deferred_payment: toggle('Deferred payment', ofPrices),
    },
  },
  production: {
    title: 'Production and dates',
    fields: {
      sn: text(names.sn),
      date_payment: date(names.date_payment, ofPrices),
      date_make: date(names.date_make),
      date_delivery: date(names.date_delivery),
    },
  },
}

const documents = {
  title: 'Documents',
  fields: {
    specification: upload(names.specification),
    invoice: upload(names.invoice, ofPrices),
    payment_order: upload(names.payment_order, ofPrices),
  },
}

export const orderForm = form(
  orders,
  [
    // The dealer of an existing order may have been deleted.
    { title: 'Dealer', fields: { dealer_id: choice('Dealer', { required: 'create', source: '/orders/dealers' }) } },
    {
      title: 'Order lines',
      fields: {
        items: repeater('Order lines', line, { key: 'id', ignoresBlank: true }),
        seen_total: shownMoney('Total', ofPrices),
      },
    },
    {
      title: 'Agreed discount',
      fields: {
        agreed: number('Agreed discount on all products, %', {
          least: 0,
          most: 100,
          hint: 'Replaces the discounts of the company, except on lines with an agreed discount of their own.',
          ...ofPrices,
        }),
        agreed_reason: text('Reason of the agreed discount', ofPrices),
        agreed_raises: toggle('Higher than before', {
          hint: 'An agreed discount may be lower than that of the company, so that the price rises.',
          ...ofPrices,
        }),
      },
    },
    { title: 'Order without lines', fields: { without_lines: toggle('Place the order without lines', { only: 'create' }) } },
    orderGroups.customer,
    orderGroups.delivery,
    orderGroups.production,
    documents,
  ],
  { extras: ['items', 'seen_total', 'agreed', 'agreed_reason', 'agreed_raises', 'without_lines'] },
)

/** The documents of an order: its fields that hold a file. */
export const orderFiles: readonly string[] = Object.entries(orderForm.fields).flatMap(([name, field]) => (holdsFile(field) ? name : []))

/** What of an order somebody may not see. */
export const unseenOf = (actor: Actor): string[] => unseenFields(Object.entries(orderForm.fields), actor)

export function orderFormState(acting: Acting, order: Order | undefined, input: FormInput): FormState {
  const { server, actor } = acting
  const { db } = server
  const state = order ? existingOrderState(acting, order, input) : newOrderState(acting, input)
  const fileName = (key: string, field: string) =>
    (order && savedName(db, { entity: 'orders', id: order.id, field }, key)) ?? uploadedName(db, key, actor.id)
  const choices = { ...state.choices, 'items.category_id': nameChoices(db, categories) }
  return usesCatalog(db) ? withCatalog(acting, { ...state, choices, fileName }, input) : withoutCatalog({ ...state, choices, fileName })
}

/** A line with a product begins as one piece. */
const newLine = { quantity: 1 }

const agreement = ['items.agreed', 'items.agreed_reason', 'agreed', 'agreed_reason', 'agreed_raises'] as const

const catalogParts = ['items.product_id', 'items.width', 'items.height'] as const

function withoutCatalog(state: FormState): FormState {
  const items = state.stored.items as Item[] | undefined
  return {
    ...state,
    stored: { ...state.stored, ...(items && { items: items.map(plainItem) }) },
    hidden: new Set([...(state.hidden ?? []), ...catalogParts, ...agreement, 'seen_total']),
  }
}

/** Lines choose a product; name, category and price are for those without one. */
function withCatalog(acting: Acting, state: FormState, { body }: FormInput): FormState {
  const { actor, server } = acting
  const items = (state.stored.items ?? []) as Item[]
  const chosen = items.map(({ product_id }) => product_id ?? null)
  const custom = ['items.category_id', 'items.name', 'items.price']
  // Dealers may name a price that is theirs, and no other.
  const unpriced = isDealer(actor) ? ['items.price', ...agreement] : state.locked?.has('items') ? agreement : []
  // Whoever may give none is not shown the fields; a body that names them is told so.
  const unagreed = discountLimit(server.db, actor) === null ? agreement.filter((name) => !isNamed(body, name)) : []
  const uncustom = mayAddCustom(server.db, actor) ? [] : ['items.category_id', 'items.name']
  return {
    ...state,
    stored: {
      ...state.stored,
      ...(state.stored.items !== undefined && { items: items.map((item) => formRow(item, [...uncustom, ...unagreed], unpriced)) }),
    },
    choices: { ...state.choices, ...productChoicesOfRows(acting, body, 'items', chosen) },
    optional: new Set(custom),
    locked: new Set([...(state.locked ?? []), ...unpriced]),
    hidden: new Set([
      ...(state.hidden ?? []),
      ...unpriced,
      ...unagreed,
      ...uncustom,
      ...(state.locked?.has('items') ? ['seen_total'] : []),
    ]),
    rows: { items: { template: orderLine.template, initial: newLine } },
  }
}

/** Whether a body says something in a field, or in a part of rows. */
function isNamed(body: URLSearchParams, name: string): boolean {
  const [field, part] = name.split('.')
  const isOf = (input: string) => (part ? input.startsWith(`${field}[`) && input.endsWith(`[${part}]`) : input === name)
  return [...body].some(([input, value]) => value.trim() !== '' && isOf(input))
}

const itemParts = [
  'category_id',
  'name',
  'product_id',
  'width',
  'height',
  'quantity',
  'price',
  'discount',
  'agreed',
  'agreed_reason',
] as const

/** A line as the form sends it, so that one that nobody has changed is told from others. */
function formRow(item: Item, hidden: readonly string[], unsent: readonly string[]): Row {
  const parts = itemParts.filter((part) => !hidden.includes(`items.${part}`))
  const row = { ...item, agreed: agreedOn(item) }
  const values = parts.map((part) => [part, unsent.includes(`items.${part}`) ? null : (row[part] ?? null)])
  return { ...(item.id && { id: item.id }), ...Object.fromEntries(values) }
}

function existingOrderState(acting: Acting, order: Order, input: FormInput): FormState {
  const { actor, server } = acting
  const locked = lockedFields(actor, editableFields(actor, order.statusPermissions))
  const dealers = locked.has('dealer_id') ? currentDealerChoice(server.db, order) : dealerChoices(acting, order, input)
  const stored = { ...order, items: itemsOf(server.db, order.id) }
  const hidden = new Set([...unseenOf(actor), ...(actor.group_id === group.dealer && locked.has('dealer_id') ? ['dealer_id'] : [])])
  return { mode: 'edit', stored, choices: { dealer_id: dealers }, locked, hidden }
}

function newOrderState(acting: Acting, input: FormInput): FormState {
  const { actor } = acting
  const locked = lockedFields(actor, fieldsOfNewOrder(actor))
  if (locked.has('dealer_id') && actor.company_id === null)
    throw forbidden('You cannot place orders without a company. Ask your manager to assign you one.')
  const repeated = repeatedValues(acting, input.query)
  const dealers = locked.has('dealer_id') ? [] : dealerChoices(acting, undefined, input)
  const dealer = actor.group_id === group.dealer ? actor.id : locked.has('dealer_id') ? undefined : suggestedDealer(acting, input.query)
  const stored = {
    // One line to begin with; what was sent says itself which lines there are.
    ...(input.body.size === 0 && { items: [usesCatalog(acting.server.db) ? newLine : {}] }),
    ...Object.fromEntries(Object.entries(repeated).filter(([name]) => !locked.has(name))),
    ...(dealer && { dealer_id: dealer }),
    ...draftFiles(namedDraft(acting, input)),
  }
  const hidden = new Set([...locked, ...unseenOf(actor), ...(lacksLines(input) ? [] : ['without_lines'])])
  return { mode: 'create', stored, choices: { dealer_id: dealers }, locked, hidden }
}

/** Whether an order was sent without lines: only then the page asks for them, or whether it is meant so. */
function lacksLines({ body, isDraft }: FormInput): boolean {
  if (isDraft) return false
  const sends = body.has('without_lines') || (body.size > 0 && !['_add', '_remove', '_find'].some((button) => body.has(button)))
  return sends && ![...body].some(([name, value]) => name.startsWith('items[') && !isInitial(name, value))
}

/** Whether an input of a line holds what lines begin with, if anything. */
function isInitial(name: string, value: string): boolean {
  return value.trim() === '' || (name.endsWith('[quantity]') && value.trim() === String(newLine.quantity))
}

/** A body that names what somebody may not see is not read: whether it is refused would tell what is stored. Lines need their prices. */
function lockedFields(actor: Actor, open: ReadonlySet<string>): Set<string> {
  const unseen = unseenOf(actor)
  // A document that no right names is nobody's to change.
  const locked = [...new Set([...orderFields, ...orderFiles])].filter((name) => !open.has(name) && !unseen.includes(name))
  return new Set(seesPrices(actor) ? locked : [...locked, 'items'])
}
