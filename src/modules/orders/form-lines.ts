import type { Context } from '../../http/request/context.ts'
import type { FormInput } from '../../http/request/input.ts'
import { template } from '../../http/request/template.ts'
import { type FormState, inState, isLocked, type Row } from '../../records/form/form.ts'
import type { InputView } from '../../records/form/input-view.ts'
import { partName } from '../../records/form/read-value.ts'
import { discountLimit } from '../companies/discount-limit.ts'
import { productChoicesOfRows } from '../products/product-choices.ts'
import { isDealer, mayAddCustom } from './pricing/catalog.ts'
import { agreedOn, type Item, plainItem } from './pricing/lines.ts'

type LineInputs = Record<
  'product_id' | 'width' | 'height' | 'quantity' | 'name' | 'category_id' | 'price' | 'agreed' | 'remark' | 'files',
  InputView
> & {
  index: string
  line: object
}

const orderLine = template<LineInputs>('orders/line.njk')

/** A line with a product begins as one piece. */
export const newLine = { quantity: 1 }

const agreement = ['items.agreed', 'items.agreed_reason', 'agreed', 'agreed_reason', 'agreed_raises'] as const

const catalogParts = ['items.product_id', 'items.width', 'items.height'] as const

export function withoutCatalog(state: FormState): FormState {
  const items = state.stored.items as Item[] | undefined
  return {
    ...state,
    stored: { ...state.stored, ...(items && { items: items.map(plainItem) }) },
    states: { ...state.states, ...inState('hidden', [...catalogParts, ...agreement, 'seen_total']) },
  }
}

/** Lines choose a product; name, category and price are for those without one. */
export function withCatalog(context: Context, state: FormState, input: FormInput): FormState {
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
    choices: { ...state.choices, ...productChoicesOfRows(context, input, 'items', chosen) },
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
