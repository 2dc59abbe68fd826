import { unitNames } from '../../../core/labels.ts'
import { seesPrices } from '../../../core/prices.ts'
import {
  AmountTooLarge,
  lineCost,
  lineLimits,
  type PriceBasis,
  type PricedProduct,
  pricedUnit,
  type Size,
  sizesOf,
  sumAmounts,
} from '../../../core/pricing.ts'
import type { Context } from '../../../http/request/context.ts'
import type { Problem } from '../../../http/request/errors.ts'
import { formatRubles, parseKopecks } from '../../../i18n/format.ts'
import type { Translate } from '../../../i18n/translate.ts'
import type { Entry, FormState } from '../../../records/form/form.ts'
import { describeOrigin } from '../../products/price-origin.ts'
import { describeRange } from '../../products/size-range.ts'
import type { Order } from '../order.ts'
import { type Discounts, lineDiscount, readCatalog } from './catalog.ts'
import type { Item, SentItem } from './lines.ts'
import { priceLines } from './price-lines.ts'
import type { PricedItem, PricedLine } from './product-line.ts'
import { agreedOfForm, companyOfForm, sentItem, type TypedLine, typedLines } from './typed-lines.ts'

/** What the form shows besides what is typed: of its inputs and rows, by their ids, and as its total. */
export interface FormPrices {
  inputs: Pick<FormState, 'computed' | 'hints'>
  total: number | undefined
  /** How many lines are not in it, since they have no price yet. */
  unpriced: number
  /** What the form sends back as the total that it has shown; empty until each line has a price. */
  seen: string
}

/** What the form shows of a line besides its inputs. */
interface LineView {
  basis?: PriceBasis | null
  /** The inputs that the basis needs. */
  sizes: readonly (keyof Size)[]
  /** The same for inputs that may stay as they are when the product is another. */
  sizesKey: string
  /** Article and name of a product that is no longer sold, or the name of a line whose name this person cannot change. */
  name?: string
  unit?: string
  /** What one piece costs, in kopecks, for those who see prices; null until that is known. */
  piece?: number | null
  discount?: number
  origin?: string
  /** What a piece would cost without its agreed discount, in kopecks. */
  without?: number
  amount?: number
  waits?: boolean
  problem?: string
}

/**
 * What the company of the dealer pays for each line of a form that is made of products.
 * @param open whether the lines can be changed
 */
export function priceForm(
  context: Context,
  { order, written, open }: { order: Order | undefined; written: readonly Item[]; open: boolean },
  state: FormState,
  entry?: Entry,
): FormPrices {
  const lines = typedLines(state, entry)
  const sent = lines.map(sentItem)
  const catalog = readCatalog(context, companyOfForm(context, order, state, entry), sent)
  const priced = priceLines(catalog, sent.map(withQuantity), written, { agreed: agreedOfForm(state, entry) })
  const shown = lines.map((line, at) => {
    const one = sent[at] as SentItem
    const product = catalog.products.get(one.product_id ?? 0)
    return { line, ...describeLine(context, line, one, isBlank(one) ? { errors: {} } : (priced[at] as PricedItem), open, product) }
  })
  const total = totalOf(shown.map(({ view: { amount = 0 } }) => amount))
  const uncounted = shown.filter(({ view }, at) => !isBlank(sent[at] as SentItem) && view.amount === undefined)
  const unpriced = uncounted.filter(({ view }) => view.piece == null).length
  const whole = uncounted.length === 0 && !sent.every(isBlank)
  return {
    inputs: {
      computed: Object.assign({}, ...shown.map(({ line, view, sizes }) => ({ ...sizes, [`items.${line.index}`]: { line: view } }))),
      hints: { ...state.hints, ...Object.assign({}, ...shown.map(({ hints }) => hints)) },
    },
    total,
    unpriced,
    seen: whole && total !== undefined ? formatRubles(total) : '',
  }
}

/** Discounts and amounts of lines while the catalog is not in use, as `static/js/order-total.js` shows them. */
export function pricePlainForm(
  state: FormState,
  entry: Entry | undefined,
  written: readonly Item[],
  discounts: Discounts,
  t: Translate,
): Pick<FormPrices, 'inputs' | 'total'> {
  const lines = typedLines(state, entry).map((line) => {
    const item = written.find(({ id }) => String(id) === line.key)
    return pricePlainLine(line, item, discounts, t)
  })
  const total = lines.reduce((sum, { cost }) => sum + cost, 0)
  return { inputs: { computed: Object.assign({}, ...lines.map(({ computed }) => computed)) }, total }
}

function pricePlainLine({ index, typed }: TypedLine, written: Item | undefined, discounts: Discounts, t: Translate) {
  const category = Number(typed('category_id')) || null
  const quantity = /^\s*\d+\s*$/.test(typed('quantity') ?? '') ? Number(typed('quantity')) : 0
  const price = parseKopecks(typed('price') ?? '')
  const discount = lineDiscount(category, written, discounts)
  const shown = {
    ...((category || written) && { value: t('{percent}%', { percent: discount ?? 0 }) }),
    ...(written && { storedDiscount: `${written.category_id ?? ''}:${written.discount}` }),
  }
  const counts = price !== undefined && price <= lineLimits.price && isQuantity(quantity)
  const cost = counts ? lineCost({ quantity, price, discount }) : 0
  const sum = counts ? { value: t.money(cost), kopecks: cost } : {}
  return { cost, computed: { [`items.${index}.discount`]: shown, [`items.${index}.sum`]: sum } }
}

const isQuantity = (quantity: number) => quantity >= 1 && quantity <= lineLimits.quantity

const withQuantity = (sent: SentItem): SentItem => (isQuantity(sent.quantity) ? sent : { ...sent, quantity: 1 })

const isBlank = ({ id, product_id, name }: SentItem) => id === undefined && !product_id && !name

function describeLine(
  context: Context,
  line: TypedLine,
  sent: SentItem,
  priced: PricedItem,
  open: boolean,
  product?: PricedProduct & { unit: string },
) {
  const found = 'item' in priced ? priced : undefined
  const item = found?.item
  const basis = item ? item.basis : product?.basis
  const sizes = sizesOf(basis ?? 'each').filter((part) => line.typed(part) !== undefined)
  const id = (part: string) => `items.${line.index}.${part}`
  const view: LineView = {
    ...{ basis, sizes, sizesKey: sizesKeyOf(basis, product), name: item && nameOf(line, item) },
    problem: 'errors' in priced ? describeProblem(context, line, sent, priced.errors) : undefined,
    ...(seesPrices(context.actor) && (found ? describePrice(context, found, isQuantity(sent.quantity)) : { piece: null })),
  }
  return {
    view,
    sizes: Object.fromEntries(
      sizes.map((part) => [id(part), { required: true, ...(basis === 'length' && { label: context.t('Length, mm') }) }]),
    ),
    hints: Object.fromEntries(sizes.flatMap((part) => (open && product ? (hintOfSize(id(part), product, part) ?? []) : []))),
  }
}

function sizesKeyOf(basis: PriceBasis | null | undefined, product: PricedProduct | undefined): string {
  return [basis, product?.width_min, product?.width_max, product?.height_min, product?.height_max].join(' ')
}

function nameOf(line: TypedLine, { name, article, product_id, piece_price }: Item): string | undefined {
  const nameless = line.typed('name') === undefined && !product_id
  return nameless || (piece_price != null && !product_id) ? [article, name].filter(Boolean).join(' ') : undefined
}

function describePrice({ server: { db }, t }: Context, { item, without }: PricedLine, counts: boolean): Partial<LineView> {
  const { price, piece_price, discount, price_origin, category_id, unit, basis } = item
  if (price === null) return { waits: true, ...(counts && { amount: 0 }) }
  const origin =
    piece_price == null || !price_origin
      ? undefined
      : describeOrigin(t, db, { price, discount, origin: price_origin }, { category_id: category_id ?? null })
  return {
    piece: piece_price ?? price,
    unit: unit && basis && basis !== 'each' ? t(unitNames[pricedUnit(basis, unit)]) : undefined,
    discount: piece_price == null ? discount : undefined,
    origin,
    without,
    ...(counts && { amount: lineCost(item) }),
  }
}

function hintOfSize(id: string, product: PricedProduct, part: keyof Size): [string, { text: string; params: object }][] | undefined {
  const { [`${part}_min` as const]: least, [`${part}_max` as const]: most } = product
  const range = describeRange(least, most)
  return range && [[id, range]]
}

/** The first problem that no field of the line names; a size that is not typed yet is none. */
function describeProblem({ t }: Context, { error }: TypedLine, sent: SentItem, errors: Record<string, Problem>): string | undefined {
  const found = Object.entries(errors).find(([part]) => {
    const typed = part !== 'width' && part !== 'height' ? true : sent[part] != null
    return typed && !error(part)
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
