import type { FastifyReply, FastifyRequest } from 'fastify'
import { allows, isDealer } from '../../core/access.ts'
import { unitNames } from '../../core/labels.ts'
import { pricedUnit } from '../../core/pricing.ts'
import { template } from '../../http/request/template.ts'
import { formatDecimal } from '../../i18n/format.ts'
import type { Translate } from '../../i18n/translate.ts'
import { mayReadHistory } from '../../records/history/list.ts'
import type { Fact, MenuLink } from '../../records/kind/card.ts'
import { backToList } from '../../records/list/show.ts'
import { offerOrder, productCard, viewOfPrice } from './card.ts'
import { categoryName } from './price-origin.ts'
import type { Product } from './product.ts'
import { describeRange } from './size-range.ts'

interface ProductPage {
  title: string
  back: string
  product: Product
  category: string | undefined
  /** What it costs whoever reads, then where that comes from. */
  prices: Fact[]
  properties: Fact[]
  menuLinks: MenuLink[]
  purpose: MenuLink | undefined
}

const productPage = template<ProductPage>('products/page.njk')

/** A product as those read it who may not change it. */
export function showProduct(request: FastifyRequest, reply: FastifyReply, product: Product): FastifyReply {
  const { server, actor, t } = request
  const history = { label: t('History'), icon: 'history', href: `/products/edit/${product.id}?tab=history` }
  return reply.page(productPage, {
    title: product.name,
    back: backToList(request, 'products'),
    product,
    category: categoryName(server.db).get({ id: product.category_id ?? 0 })?.name,
    prices: viewOfPrice(request, product),
    properties: [...propertiesOf(t, product), ...(isDealer(actor) ? [] : [{ label: 'External ID', text: product.external_id }])],
    menuLinks: [...(productCard.head?.menu?.(request, product) ?? []), ...(allows(mayReadHistory, actor) ? [history] : [])],
    purpose: offerOrder(request, product),
  })
}

function propertiesOf(t: Translate, product: Product): Fact[] {
  const { unit, basis, minimum } = product
  const charged = { minimum: formatDecimal(minimum ?? 0), unit: t(unitNames[pricedUnit(basis, unit)]) }
  return [
    { label: 'Unit', text: t(unitNames[unit]) },
    { label: 'Sizes', text: describeSizes(t, product) },
    { label: 'Minimum charged', text: basis === 'each' || minimum === null ? null : t('{minimum} {unit} for each piece', charged) },
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
