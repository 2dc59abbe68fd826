import { unitNames } from '../../core/labels.ts'
import { lineCost, lineLimits } from '../../core/order-cost.ts'
import { seesPrices } from '../../core/prices.ts'
import { AmountTooLarge, type PriceBasis, type PricedProduct, type Size, sizesOf, sumAmounts } from '../../core/pricing.ts'
import type { Translate } from '../../i18n/translate.ts'
import type { Acting } from '../../web/acting.ts'
import type { FormView, PresentedInput } from '../../web/form/view.ts'
import type { Problem } from '../../web/http.ts'
import { formatRubles } from '../../web/view/format.ts'
import { describeOrigin } from '../products/price-origin.ts'
import { findProducts } from '../products/product.ts'
import { companyOfDealer } from './dealer-choices.ts'
import type { Item } from './items.ts'
import type { Order } from './order.ts'
import { priceItems } from './price-items.ts'
import type { PricedItem, PricedLine, SentItem } from './pricing.ts'

type LineRow = Extract<FormView['groups'][number]['fields'][number], { next: number }>['rows'][number]

/** What the form shows of a line besides its inputs. */
interface LineView {
  basis?: PriceBasis | null
  /** The inputs for the sizes that the basis needs. */
  sizes: PresentedInput[]
  /** Article and name of a product that is no longer sold, or the name of a line whose name this person cannot change. */
  name?: string
  unit?: string
  /** What one piece costs, in kopecks. */
  piece?: number | null
  discount?: number
  origin?: string
  /** What a piece would cost without its agreed discount, in kopecks. */
  without?: number
  amount?: number
  waits?: boolean
  problem?: string
}

export interface PricedLines {
  total: number | undefined
  /** What the form sends back as the total that it has shown; empty until each line has a price. */
  seen: string
  lines: { index: string; line: LineView }[]
}

/** The lines of an order form, be they stored or just typed, with what the company of the dealer pays for each. */
export function presentPricedLines(acting: Acting, form: FormView, order: Order | undefined, written: readonly Item[]): PricedLines {
  const rows = rowsOfLines(form)
  const sent = rows.map(sentItem)
  const priced = priceItems(acting, pricingCompany(acting, order, form), sent.map(withQuantity), written, { agreed: agreedOfForm(form) })
  const products = findProducts(
    acting.server.db,
    sent.flatMap(({ product_id }) => product_id ?? []),
  )
  const views = rows.map((row, at) => {
    const one = sent[at] as SentItem
    const line = presentLine(
      acting,
      row,
      one,
      isBlank(one) ? { errors: {} } : (priced[at] as PricedItem),
      products.get(one.product_id ?? 0),
    )
    Object.assign(row.more, { line })
    return line
  })
  const total = totalOf(views.map(({ amount = 0 }) => amount))
  const whole = sent.every((one, at) => isBlank(one) || views[at]?.amount !== undefined) && !sent.every(isBlank)
  return {
    total,
    seen: whole && total !== undefined ? formatRubles(total) : '',
    lines: rows.map(({ index }, at) => ({ index, line: views[at] as LineView })),
  }
}

export function rowsOfLines(form: FormView): LineRow[] {
  const items = form.groups.flatMap(({ fields }) => fields).find(({ name }) => name === 'items')
  return items && 'next' in items ? items.rows : []
}

function sentItem({ key, parts }: LineRow): SentItem {
  const whole = (name: string) => wholeNumber(parts[name])
  return {
    ...(key && { id: Number(key) }),
    product_id: whole('product_id'),
    width: whole('width'),
    height: whole('height'),
    category_id: parts.category_id && whole('category_id'),
    name: parts.name && (parts.name.value.trim() || null),
    quantity: whole('quantity') ?? 0,
    price: parts.price?.kopecks ?? null,
    agreed: parts.agreed && whole('agreed'),
  }
}

/** The discount agreed on for the whole order, as it is typed. */
function agreedOfForm(form: FormView): number | null {
  return wholeNumber(form.groups.flatMap(({ fields }) => fields).find(({ name }) => name === 'agreed') as PresentedInput | undefined)
}

function wholeNumber(input: PresentedInput | undefined): number | null {
  const value = input?.value.trim() ?? ''
  return /^\d{1,9}$/.test(value) ? Number(value) : null
}

const isQuantity = (quantity: number) => quantity >= 1 && quantity <= lineLimits.quantity

const withQuantity = (sent: SentItem): SentItem => (isQuantity(sent.quantity) ? sent : { ...sent, quantity: 1 })

const isBlank = ({ id, product_id, name }: SentItem) => id === undefined && !product_id && !name

function presentLine(
  acting: Acting,
  row: LineRow,
  sent: SentItem,
  priced: PricedItem,
  product?: PricedProduct & { unit: string },
): LineView {
  const found = 'item' in priced ? priced : undefined
  const item = found?.item
  const basis = item ? item.basis : product?.basis
  const sizes = sizesOf(basis ?? 'each').flatMap((part) => presentSize(acting, row, part, basis, product))
  const nameless = item && !row.parts.name && !item.product_id
  const name =
    item && (nameless || (item.piece_price != null && !item.product_id)) ? [item.article, item.name].filter(Boolean).join(' ') : undefined
  const shown = { basis, sizes, name, problem: 'errors' in priced ? describeProblem(acting, row, sent, priced.errors) : undefined }
  return found && seesPrices(acting.actor) ? { ...shown, ...presentPrice(acting, found, isQuantity(sent.quantity)) } : shown
}

function presentPrice({ server: { db }, t }: Acting, { item, without }: PricedLine, counts: boolean): Partial<LineView> {
  const { price, piece_price, discount, price_origin, category_id, unit, basis } = item
  if (price === null) return { waits: true, ...(counts && { amount: 0 }) }
  const origin =
    piece_price == null || !price_origin
      ? undefined
      : describeOrigin(t, db, { price, discount, origin: price_origin }, { category_id: category_id ?? null })
  return {
    piece: piece_price ?? price,
    unit: unit && basis !== 'each' ? t(unitNames[unit]) : undefined,
    discount: piece_price == null ? discount : undefined,
    origin,
    without,
    ...(counts && { amount: lineCost(item) }),
  }
}

function presentSize({ t }: Acting, { parts }: LineRow, part: keyof Size, basis: PriceBasis | null | undefined, product?: PricedProduct) {
  const input = parts[part]
  if (!input) return []
  const hint = product && !input.error && !input.disabled ? describeRange(t, product[`${part}_min`], product[`${part}_max`]) : undefined
  const described = [input.described, hint && `${input.id}-hint`].filter(Boolean).join(' ')
  return [{ ...input, label: basis === 'length' ? t('Length, mm') : input.label, required: true, hint, described }]
}

function describeRange(t: Translate, least: number | null, most: number | null): string | undefined {
  if (least !== null && most !== null) return t('{least} to {most} mm', { least, most })
  if (least !== null) return t('from {least} mm', { least })
  return most === null ? undefined : t('up to {most} mm', { most })
}

/** The first problem that no field of the line names; a size that is not typed yet is none. */
function describeProblem({ t }: Acting, { parts }: LineRow, sent: SentItem, errors: Record<string, Problem>): string | undefined {
  const found = Object.entries(errors).find(([part]) => {
    const typed = part !== 'width' && part !== 'height' ? true : sent[part] != null
    return typed && !parts[part]?.error
  })
  return found && t(found[1].message, found[1].params)
}

function totalOf(amounts: number[]): number | undefined {
  try {
    return sumAmounts(amounts)
  } catch (error) {
    if (error instanceof AmountTooLarge) return undefined
    throw error
  }
}

/** The company whose prices hold for a form: that of the dealer chosen in it. */
export function pricingCompany({ server, actor }: Acting, order: Order | undefined, form: FormView): number | null {
  const field = form.groups.flatMap(({ fields }) => fields).find(({ name }) => name === 'dealer_id')
  const offered = field && 'options' in field ? field.options.find(({ selected }) => selected) : undefined
  const chosen = field ? (offered ? Number(offered.id) : null) : (order?.dealer_id ?? actor.id)
  return order && chosen === order.dealer_id ? order.owner_company_id : companyOfDealer(server.db, chosen)
}
