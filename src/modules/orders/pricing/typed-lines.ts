import type { Context } from '../../../http/request/context.ts'
import type { Problem } from '../../../http/request/errors.ts'
import { parseKopecks } from '../../../i18n/format.ts'
import { type Field, isRepeater } from '../../../records/fields/index.ts'
import { type Entry, type FormState, fieldsOf } from '../../../records/form/form.ts'
import { repeaterRows, shownText } from '../../../records/form/rows.ts'
import { companyOfDealer } from '../dealer-choices.ts'
import { orderForm } from '../form.ts'
import type { Order } from '../order.ts'
import type { SentItem } from './lines.ts'

/** A line of a form, be it stored or just typed. */
export interface TypedLine {
  index: string
  key?: string
  /** What an input of the line shows; nothing where it has no such input. */
  typed: (part: string) => string | undefined
  error: (part: string) => Problem | undefined
}

export function typedLines(state: FormState, entry?: Entry): TypedLine[] {
  const field = fieldsOf(orderForm, state).get('items')
  if (!field || !isRepeater(field)) return []
  const parts: Record<string, Field> = field.rows
  return repeaterRows('items', field, state, entry).map(({ index, key, stored }) => ({
    index,
    key,
    typed: (part) => parts[part] && shownText(`items.${index}.${part}`, parts[part], stored[part], entry),
    error: (part) => (parts[part] ? entry?.errors[`items.${index}.${part}`] : undefined),
  }))
}

export function sentItem({ key, typed }: TypedLine): SentItem {
  const whole = (part: string) => wholeNumber(typed(part))
  const name = typed('name')
  return {
    ...(key && { id: Number(key) }),
    product_id: whole('product_id'),
    width: whole('width'),
    height: whole('height'),
    category_id: typed('category_id') === undefined ? undefined : whole('category_id'),
    name: name === undefined ? undefined : name.trim() || null,
    quantity: whole('quantity') ?? 0,
    price: parseKopecks(typed('price') ?? '') ?? null,
    agreed: typed('agreed') === undefined ? undefined : whole('agreed'),
  }
}

/** The discount agreed on for the whole order, as it is typed. */
export const agreedOfForm = (state: FormState, entry?: Entry): number | null => wholeNumber(textOf('agreed', state, entry))

/** The company whose prices hold for a form: that of the dealer chosen in it. */
export function companyOfForm({ server, actor }: Context, order: Order | undefined, state: FormState, entry?: Entry): number | null {
  const text = textOf('dealer_id', state, entry)
  const offered = state.choices.dealer_id?.find(({ id }) => String(id) === text)
  const chosen = text === undefined ? (order?.dealer_id ?? actor.id) : offered ? Number(offered.id) : null
  return order && chosen === order.dealer_id ? order.owner_company_id : companyOfDealer(server.db, chosen)
}

/** What a field of the form shows; nothing where the form has no such field. */
function textOf(name: string, state: FormState, entry?: Entry): string | undefined {
  const field = fieldsOf(orderForm, state).get(name)
  return field && shownText(name, field, state.stored[name], entry)
}

function wholeNumber(text = ''): number | null {
  return /^\d{1,9}$/.test(text.trim()) ? Number(text) : null
}
