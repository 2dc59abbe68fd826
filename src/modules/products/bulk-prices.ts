import type { FastifyInstance } from 'fastify'
import { changedPrice, type PriceChange } from '../../core/price-change.ts'
import { lineLimits } from '../../core/pricing.ts'
import { productPrices, products, touch } from '../../database/index.ts'
import { authorize } from '../../http/access/authorize.ts'
import type { Context } from '../../http/request/context.ts'
import { HttpError, notFound } from '../../http/request/errors.ts'
import { template } from '../../http/request/template.ts'
import { today } from '../../i18n/format.ts'
import type { Amount } from '../../i18n/money.ts'
import { date, decimal } from '../../records/fields/index.ts'
import { blankState, type Entry, form } from '../../records/form/form.ts'
import { type BulkFormView, bulkFormRoutes } from '../../records/list/bulk-form.ts'
import type { List } from '../../records/list/list.ts'
import { productAccess } from './access.ts'
import type { ProductRow } from './list.ts'
import { findProduct, type PriceRow, type Product, priceOn, pricesOf, productLabel, savePrices } from './product.ts'

const changeForm = form(
  productPrices,
  [
    {
      title: 'Change',
      fields: {
        percent: decimal('Change, %', { least: -10_000, most: 100_000, hint: 'Such as 5 or -3,5' }),
        amount: decimal('Change by amount', { least: -lineLimits.price, most: lineLimits.price, hint: 'Such as 100 or -50' }),
        from: date('Valid from', { required: true, missing: 'Enter from when it is valid.' }),
      },
    },
  ],
  { extras: ['percent', 'amount'] },
)

interface PricesView extends BulkFormView {
  preview?: ReturnType<typeof viewOfPreview>[]
  unseen: number
}

const changePage = template<PricesView>('products/bulk-prices.njk')

const previewed = 50

/** Changes the prices of the selected products from a day, by percent or by an amount. */
export function productPricesChange(app: FastifyInstance, list: List<ProductRow>): void {
  const bulk = {
    list,
    path: '/products/prices',
    label: 'Change prices…',
    icon: 'edit',
    form: changeForm,
    formState: () => ({ ...blankState, stored: { from: today() } }),
    find: findProduct,
    rule: productAccess.price,
    labelOf: productLabel,
    read: readChange,
    missing: 'Enter either a percentage or an amount.',
    change: changeProduct,
    title: 'Change prices of {count} products',
    done: 'Prices of {count} products changed',
    refused: '{count} products were not changed:',
  }
  bulkFormRoutes<Product, DatedChange, PricesView>(app, bulk, changePage, (context, selected, change) => ({
    preview: change && selected.slice(0, previewed).map((product) => viewOfPreview(context, product, change)),
    unseen: selected.length - previewed,
  }))
}

type DatedChange = PriceChange & { from: string }

function readChange({ percent, amount, from }: Entry['values']): DatedChange | undefined {
  const given = [percent, amount].filter((value) => typeof value === 'number')
  if (given.length !== 1) return undefined
  return { by: typeof percent === 'number' ? 'percent' : 'amount', hundredths: given[0] as number, from: from as string }
}

function viewOfPreview({ server: { db }, t }: Context, product: Product, change: DatedChange) {
  const before = priceOn(pricesOf(db, product.id), change.from)
  const after = before === null ? undefined : changedPrice(before, change)
  return {
    name: productLabel(product),
    before: before ?? undefined,
    after,
    reason: after === undefined ? t(...problemOf(before)) : undefined,
  }
}

function problemOf(before: number | null): [message: string, params?: Record<string, Amount>] {
  if (before === null) return ['It has no price by then.']
  return ['The new price would not be between 0 and {most}.', { most: { kopecks: lineLimits.price } }]
}

function changeProduct({ server: { db }, actor, author }: Context, id: number, change: DatedChange): void {
  const product = findProduct(db, id)
  if (!product) throw notFound()
  authorize(productAccess.price, actor, product)
  const prices = pricesOf(db, id)
  const before = priceOn(prices, change.from)
  const price = before === null ? undefined : changedPrice(before, change)
  if (price === undefined) {
    const [message, params] = problemOf(before)
    throw new HttpError(422, message, params)
  }
  const rows = savePrices(db, id, withPrice(prices, change.from, price))
  touch(db, products, product, productLabel(product), { prices: rows }, author)
}

function withPrice(prices: PriceRow[], from: string, price: number): PriceRow[] {
  const same = prices.find((row) => row.from === from)
  return [...prices.filter((row) => row !== same), { ...same, from, price }]
}
