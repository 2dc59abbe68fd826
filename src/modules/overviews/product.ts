import type { FastifyInstance } from 'fastify'
import { allows, isDealer } from '../../core/access.ts'
import { unitNames } from '../../core/labels.ts'
import { seesPrices } from '../../core/prices.ts'
import { pricedUnit } from '../../core/pricing.ts'
import type { Context } from '../../http/request/context.ts'
import { template } from '../../http/request/template.ts'
import { formatDecimal, today } from '../../i18n/format.ts'
import type { Translate } from '../../i18n/translate.ts'
import { type CardFrame, cardPart } from '../../records/kind/card.ts'
import { productAccess } from '../products/access.ts'
import { offerOrder } from '../products/card.ts'
import { categoryName } from '../products/price-origin.ts'
import { currentPrices, type Product, pricesOf } from '../products/product.ts'
import { productRoutes } from '../products/routes.ts'
import { describeRange } from '../products/size-range.ts'
import { viewOfContractPrices } from './contract-prices.ts'
import { fold, type Property } from './details.ts'
import { finishedOrders, viewOfOrders } from './orders.ts'

/** Products, with what companies and orders say of them, of which their own module knows nothing. */
export async function productOverviewRoutes(app: FastifyInstance): Promise<void> {
  productRoutes(app, cardPart(overviewPage, viewOfOverview))
}

const overviewPage = template<CardFrame & ReturnType<typeof viewOfOverview>>('overviews/product.njk')

/** A product as one reads it. What it costs today stands in the heading. */
function viewOfOverview(context: Context, product: Product) {
  const { empty, properties } = fold(propertiesOf(context, product))
  return {
    product,
    properties,
    empty: allows(productAccess.edit, context.actor, product) ? empty : [],
    prices: viewOfOtherPrices(context, product),
    contracts: viewOfContractPrices(context, product),
    orders: viewOfOrders(context, 'product', product.id),
    finished: finishedOrders(context, 'product', product.id),
    ofOneCompany: isDealer(context.actor),
    purpose: offerOrder(context, product),
  }
}

function propertiesOf({ server: { db }, actor, t }: Context, product: Product): Property[] {
  const { unit, basis, minimum, category_id } = product
  const charged = { minimum: formatDecimal(minimum ?? 0), unit: t(unitNames[pricedUnit(basis, unit)]) }
  const isSized = basis !== 'each'
  return [
    { label: t('Category'), value: categoryName(db, category_id) ?? '' },
    { label: t('Unit'), value: t(unitNames[unit]) },
    { label: t('Sizes'), value: describeSizes(t, product) },
    ...(isSized ? [{ label: t('Minimum charged'), value: minimum === null ? '' : t('{minimum} {unit} for each piece', charged) }] : []),
    ...(isDealer(actor) ? [] : [{ label: t('External ID'), value: product.external_id ?? '' }]),
  ]
}

function describeSizes(t: Translate, { basis, width_min, width_max, height_min, height_max }: Product): string {
  const width = describeRange(width_min, width_max)
  const height = describeRange(height_min, height_max)
  return [
    width && t(basis === 'length' ? 'length {range}' : 'width {range}', { range: t(width.text, width.params) }),
    height && t('height {range}', { range: t(height.text, height.params) }),
  ]
    .filter(Boolean)
    .join(', ')
}

/** What it cost and will cost besides the prices of the heading, the last one first. */
function viewOfOtherPrices({ server: { db }, actor }: Context, { id }: Product) {
  if (isDealer(actor) || !seesPrices(actor)) return []
  const prices = pricesOf(db, id)
  const { current, next } = currentPrices(prices, today())
  return prices.filter((row) => row !== current && row !== next).toReversed()
}
