import { eq } from 'drizzle-orm'
import { unitNames, vatNames } from '../../../core/labels.ts'
import { seesPrices } from '../../../core/prices.ts'
import { lineCost, pricedUnit, sumAmounts, vatWithin } from '../../../core/pricing.ts'
import { categories, orderItems, prepareOnce } from '../../../database/index.ts'
import type { Context } from '../../../http/request/context.ts'
import { savedName } from '../../../http/uploads/uploaded.ts'
import type { Translate } from '../../../i18n/translate.ts'
import { describeOrigin, partsOfOrigin } from '../../products/price-origin.ts'
import type { Order } from '../order.ts'

/** The lines of an order, with what they cost for those who may see it. */
export function viewOfLines(context: Context, order: Order): ShownLines {
  const stored = linesOf(context.server.db).all({ order: order.id })
  const pieces = stored.reduce((sum, { item }) => sum + item.quantity, 0)
  if (!seesPrices(context.actor)) return { lines: stored.map((line) => describeLine(context, line)), pieces }
  const lines = stored.map((line) => ({ ...describeLine(context, line), ...viewOfPrice(context, line) }))
  const subtotal = lines.reduce((sum, { quantity, price }) => sum + quantity * (price ?? 0), 0)
  const columns = {
    discounted: lines.some(({ discount, included, parts }) => discount || included || parts?.length),
    reduced: lines.some(({ included }) => included),
  }
  return { lines, pieces, amounts: { subtotal, discount: subtotal - order.cost, total: order.cost, vat: totalVat(lines), ...columns } }
}

export type ShownLine = ReturnType<typeof describeLine> & Partial<LinePrice>

/** In kopecks and percent; a discount is either taken off the price or included in it. */
interface LinePrice {
  price: number | null
  discount?: number
  included?: number
  /** Agreed in a contract, instead of list and discount. */
  contract?: boolean
  sum: number
  vat?: number
  vatName?: string
  /** Where the price comes from, and its VAT. */
  terms?: string
  /** The same in parts, where it says more than price and amount do. */
  parts?: { label: string; value: string }[]
}

export interface ShownLines {
  lines: ShownLine[]
  pieces: number
  /** In kopecks; for those who see prices. */
  amounts?: {
    subtotal: number
    discount: number
    total: number
    vat: ReturnType<typeof totalVat>
    /** Whether any line has a discount or says how its price came about, and any price a discount in it. */
    discounted: boolean
    reduced: boolean
  }
}

type StoredLine = ReturnType<ReturnType<typeof linesOf>['all']>[number]

function describeLine({ server, t }: Context, { item, category }: StoredLine) {
  const { id, order_id, name, quantity, article, remark, files } = item
  return {
    id,
    name,
    category,
    quantity,
    article,
    size: describeSize(t, item),
    remark,
    files: files.map((key) => ({ key, name: savedName(server.db, { entity: 'orders', id: order_id, field: 'items' }, key) ?? t('File') })),
  }
}

/** Nothing where there is none. */
export function describeSize(t: Translate, { width, height }: { width?: number | null; height?: number | null }): string {
  const size = [width, height].filter((side) => side != null).join('\u00a0×\u00a0')
  return size && t('{size} mm', { size })
}

/** A line with a product shows what one piece costs, the discount included, so that price times quantity is the amount. */
function viewOfPrice({ server: { db }, t }: Context, { item }: StoredLine): LinePrice {
  const { price, discount, piece_price, price_origin: origin, category_id, vat, unit, basis } = item
  const sum = lineCost(item)
  const vatName = vat === null ? undefined : t(vatNames[vat])
  const withVat = vatWithin(sum, vat) ?? undefined
  const own = { sum, vat: withVat, vatName }
  const taxed = vatName && (withVat === undefined ? vatName : `${vatName}: ${t.money(withVat)}`)
  const tax = vatName ? [{ label: vatName, value: withVat === undefined ? '' : t.money(withVat) }] : []
  if (piece_price === null || price === null || origin === null)
    return { price, discount, terms: taxed, ...(discount && { parts: tax }), ...own }
  const described = describeOrigin(t, db, { price, discount, origin }, { category_id })
  const per = unit && basis && basis !== 'each' ? t('per {unit}', { unit: t(unitNames[pricedUnit(basis, unit)]) }) : undefined
  const terms = [[described, per].filter(Boolean).join(', '), taxed].filter(Boolean).join(' · ')
  if (!discount && !per && origin !== 'contract') return { price: piece_price, included: discount, terms, ...own }
  const parts = [...partsOfOrigin(t, db, { price, discount, origin }, { category_id, per }), ...tax]
  return { price: piece_price, included: discount, contract: origin === 'contract', terms, parts, ...own }
}

/** Nothing where nothing is said of VAT; without an amount where there is none to pay. */
function totalVat(lines: readonly { vat?: number; vatName?: string }[]): { amount: number | undefined } | undefined {
  if (lines.every(({ vatName }) => vatName === undefined)) return undefined
  const amounts = lines.flatMap(({ vat }) => vat ?? [])
  return { amount: amounts.length > 0 ? sumAmounts(amounts) : undefined }
}

const linesOf = prepareOnce((db, params) => {
  const lines = db.select({ item: orderItems, category: categories.name }).from(orderItems)
  const named = lines.leftJoin(categories, eq(categories.id, orderItems.category_id))
  return named.where(eq(orderItems.order_id, params.order)).orderBy(orderItems.id).prepare()
})
