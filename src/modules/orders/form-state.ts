import { type Actor, allows, isDealer } from '../../core/access.ts'
import { editableFields, fieldsOfNewOrder, orderFields } from '../../core/order-editable-fields.ts'
import { seesPrices } from '../../core/prices.ts'
import { categories } from '../../database/index.ts'
import type { Context } from '../../http/request/context.ts'
import { forbidden } from '../../http/request/errors.ts'
import { type FormInput, parseId } from '../../http/request/input.ts'
import { template } from '../../http/request/template.ts'
import { savedName, uploadedName } from '../../http/uploads/uploaded.ts'
import { whenAsked } from '../../records/form/choices.ts'
import { type FormState, inState, isLocked, type Row } from '../../records/form/form.ts'
import type { InputView } from '../../records/form/input-view.ts'
import { isInitial } from '../../records/form/inputs.ts'
import { partName } from '../../records/form/read-value.ts'
import { nameChoices } from '../../records/list/record-filters.ts'
import { discountLimit } from '../companies/discount-limit.ts'
import { productAccess } from '../products/access.ts'
import { findProduct } from '../products/product.ts'
import { productChoicesOfRows } from '../products/product-choices.ts'
import { currentDealerChoice, dealerChoices, suggestedDealer } from './dealer-choices.ts'
import { type Draft, filesIn, namedDraft, storedPart } from './drafts/draft.ts'
import { hiddenOf, unseenOf } from './form.ts'
import type { Order } from './order.ts'
import { mayAddCustom, usesCatalog } from './pricing/catalog.ts'
import { agreedOn, type Item, itemsOf, plainItem } from './pricing/lines.ts'
import { offerCustomer, repeatedValues } from './repeat-order.ts'

export function orderFormState(context: Context, order: Order | undefined, input: FormInput): FormState {
  const { server, actor } = context
  const { db } = server
  const state = order ? existingOrderState(context, order, input) : newOrderState(context, input)
  const fileName = (key: string, field: string) =>
    (order && savedName(db, { entity: 'orders', id: order.id, field: field.split('.')[0] }, key)) ?? uploadedName(db, key, actor.id)
  const choices = whenAsked({ 'items.category_id': () => nameChoices(db, categories) }, state.choices)
  return usesCatalog(db) ? withCatalog(context, { ...state, choices, fileName }, input) : withoutCatalog({ ...state, choices, fileName })
}

function existingOrderState(context: Context, order: Order, input: FormInput): FormState {
  const { actor, server } = context
  const locked = lockedFields(actor, editableFields(actor, order.statusPermissions))
  const dealers = () => (locked.has('dealer_id') ? currentDealerChoice(server.db, order) : dealerChoices(context, order, input))
  const stored = { ...order, items: itemsOf(server.db, order.id) }
  const states = {
    ...inState('locked', locked),
    ...inState('sealed', isDealer(actor) && locked.has('dealer_id') ? ['dealer_id'] : []),
    ...inState('hidden', hiddenOf(actor)),
  }
  return { mode: 'edit', stored, choices: whenAsked({ dealer_id: dealers }), states }
}

function newOrderState(context: Context, input: FormInput): FormState {
  const { actor } = context
  const locked = lockedFields(actor, fieldsOfNewOrder(actor))
  if (locked.has('dealer_id') && actor.company_id === null)
    throw forbidden('You cannot place orders without a company. Ask your manager to assign you one.')
  const repeated = repeatedValues(context, input.query)
  const dealers = () => (locked.has('dealer_id') ? [] : dealerChoices(context, undefined, input))
  const dealer = isDealer(actor) ? actor.id : locked.has('dealer_id') ? undefined : suggestedDealer(context, input.query)
  const stored = {
    // One line to begin with; what was sent says itself which lines there are.
    ...(input.texts.size === 0 && { items: [usesCatalog(context.server.db) ? { ...newLine, ...askedProduct(context, input) } : {}] }),
    ...Object.fromEntries(Object.entries(repeated).filter(([name]) => !locked.has(name))),
    ...(dealer && { dealer_id: dealer }),
    ...draftFiles(namedDraft(context, input)),
  }
  const states = inState('sealed', locked)
  const computed = !hasLines(input, stored) && { items: { otherwise: 'without_lines' } }
  const files = filesIn(namedDraft(context, input)?.fields ?? []).map(([, key]) => key)
  const hints = offerCustomer(context, input)
  return { mode: 'create', stored, choices: whenAsked({ dealer_id: dealers }), states, files, hints, ...(computed && { computed }) }
}

/** The product for sale with which an order is begun. */
function askedProduct({ server, actor }: Context, { query }: FormInput): { product_id?: number } {
  const product = findProduct(server.db, parseId(query.get('product')) ?? 0)
  return product?.active && allows(productAccess.view, actor, product) ? { product_id: product.id } : {}
}

/** Whether anything stands in a line: as long as nothing does, the page offers to place the order without. */
function hasLines({ texts }: FormInput, stored: { items?: object[] }): boolean {
  if (texts.size === 0) return (stored.items ?? []).some((item) => Object.keys(item).some((name) => !(name in newLine)))
  const initial = (place: string) => (place.endsWith('.quantity') ? newLine.quantity : undefined)
  return [...texts].some(([place, text]) => place.startsWith('items.') && !isInitial(text, initial(place)))
}

/** A body that names what somebody may not see is not read: whether it is refused would tell what is stored. Lines need their prices. */
function lockedFields(actor: Actor, open: ReadonlySet<string>): Set<string> {
  const unseen = unseenOf(actor)
  const locked = orderFields.filter((name) => !open.has(name) && !unseen.includes(name))
  return new Set(seesPrices(actor) ? locked : [...locked, 'items'])
}

type LineInputs = Record<
  'product_id' | 'width' | 'height' | 'quantity' | 'name' | 'category_id' | 'price' | 'agreed' | 'remark' | 'files',
  InputView
> & {
  index: string
  line: object
}

const orderLine = template<LineInputs>('orders/line.njk')

/** A line with a product begins as one piece. */
const newLine = { quantity: 1 }

const agreement = ['items.agreed', 'items.agreed_reason', 'agreed', 'agreed_reason', 'agreed_raises'] as const

const catalogParts = ['items.product_id', 'items.width', 'items.height'] as const

function withoutCatalog(state: FormState): FormState {
  const items = state.stored.items as Item[] | undefined
  return {
    ...state,
    stored: { ...state.stored, ...(items && { items: items.map(plainItem) }) },
    states: { ...state.states, ...inState('hidden', [...catalogParts, ...agreement, 'seen_total']) },
  }
}

/** Lines choose a product; name, category and price are for those without one. */
function withCatalog(context: Context, state: FormState, input: FormInput): FormState {
  const { actor, server } = context
  const items = (state.stored.items ?? []) as Item[]
  const chosen = items.map(({ product_id }) => product_id ?? null)
  const custom = ['items.category_id', 'items.name', 'items.price']
  // Dealers may name a price that is theirs, and no other.
  const unpriced = isDealer(actor) ? ['items.price', ...agreement] : isLocked(state, 'items') ? agreement : []
  // Whoever may give none is not shown the fields; a body that names them is told so.
  const unagreed = discountLimit(server.db, actor) === null ? agreement.filter((name) => !isNamed(input, name)) : []
  const uncustom = mayAddCustom(server.db, actor) ? [] : ['items.category_id', 'items.name']
  return {
    ...state,
    stored: {
      ...state.stored,
      ...(state.stored.items !== undefined && { items: items.map((item) => formRow(item, [...uncustom, ...unagreed], unpriced)) }),
    },
    choices: whenAsked(productChoicesOfRows(context, input, 'items', chosen), state.choices),
    states: {
      ...inState('optional', custom),
      ...state.states,
      ...inState('hidden', [...unagreed, ...uncustom, ...(isLocked(state, 'items') ? ['seen_total'] : [])]),
      ...inState('sealed', unpriced),
    },
    rows: { items: { template: orderLine.template, initial: newLine, first: 'product_id' } },
  }
}

/** Whether something is said in a field, or in a part of rows. */
function isNamed({ texts }: FormInput, name: string): boolean {
  return [...texts].some(([place, text]) => text.trim() !== '' && partName(place) === name)
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
  'remark',
  'files',
] as const

/** A line as the form sends it, so that one that nobody has changed is told from others. */
function formRow(item: Item, hidden: readonly string[], unsent: readonly string[]): Row {
  const parts = itemParts.filter((part) => !hidden.includes(`items.${part}`))
  const row = { ...item, agreed: agreedOn(item) }
  const values = parts.map((part) => [part, unsent.includes(`items.${part}`) ? null : (row[part] ?? null)])
  return { ...(item.id && { id: item.id }), ...Object.fromEntries(values) }
}

/** The documents of a draft, as the values of the fields of an order. */
function draftFiles(draft: Draft | undefined): Record<string, string> {
  return Object.fromEntries(filesIn(draft?.fields ?? []).map(([name, value]) => [name.slice(0, -storedPart.length), value]))
}
