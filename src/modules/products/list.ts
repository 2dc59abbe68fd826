import { eq, inArray, sql } from 'drizzle-orm'
import { isDealer } from '../../core/access.ts'
import { ofPrices } from '../../core/prices.ts'
import { pricedUnit } from '../../core/pricing.ts'
import { categories, contractPrices, type Database, orderItems, prepareOnce, products, whereIn } from '../../database/index.ts'
import type { Context } from '../../http/request/context.ts'
import { today } from '../../i18n/format.ts'
import type { Translate } from '../../i18n/translate.ts'
import { columnsOf } from '../../records/list/columns.ts'
import type { DeletionPart } from '../../records/list/deletion.ts'
import { type Column, type Filter, type List, type RowNotes, valuesOf } from '../../records/list/list.ts'
import { columnFilter } from '../../records/list/record-filters.ts'
import { productAccess } from './access.ts'
import { productForm } from './form.ts'
import { listPricesOn } from './list-prices.ts'
import { afterDiscount, findBuyer, unitPrices } from './own-price.ts'
import { describeOrigin } from './price-origin.ts'
import { type Product, productLabel } from './product.ts'

const column = columnsOf(productForm, products)

const own = [
  column('article', { kind: 'short', sort: products.article_search }),
  column('name', { kind: 'name', sort: products.search, opens: true }),
  {
    key: 'category',
    label: 'Category',
    kind: 'category',
    spare: true,
    value: categories.name,
    sort: categories.search,
    join: sql`left join ${categories} on ${categories.id} = ${products.category_id}`,
    through: { table: categories, column: products.category_id },
  },
  column('unit', { kind: 'identifier' }),
] as const satisfies readonly Column[]

const price = { key: 'price', label: 'Price', kind: 'money', ...ofPrices } as const satisfies Column
const ownPrice = { key: 'own_price', label: 'Your price', kind: 'money', ...ofPrices } as const satisfies Column
const active = column('active')

export type ProductRow = Product &
  RowNotes & {
    category: string | null
    price?: number | null
    own_price?: number | null
  }

/** The list as those see it who are no dealers, whatever the company. */
export function productList(db: Database): List<ProductRow> {
  return {
    ...common,
    add: { path: '/products/add', label: 'Add product' },
    columns: [...own, price, active],
    filters: [byCategory, byActive],
    rows: { load: (ids) => withListPrices(db, ids).map(inPricedUnit) },
  }
}

/** The list as a dealer sees it: with what their own company pays. */
export function dealerProductList(db: Database): List<ProductRow> {
  return {
    ...common,
    columns: [...own, ownPrice],
    filters: [byCategory],
    rows: { load: (ids, { actor, t }) => withOwnPrices(db, actor.company_id, t, ids).map(inPricedUnit) },
  }
}

/** Beside a price stands what it is for. */
const inPricedUnit = (row: ProductRow): ProductRow => ({ ...row, unit: pricedUnit(row.basis, row.unit) })

const byCategory = columnFilter('category', 'Category', categories, products.category_id)

const byActive: Filter = {
  name: 'active',
  label: 'For sale',
  options: ({ t }) => [
    { value: '1', label: t('For sale') },
    { value: '0', label: t('Not for sale') },
  ],
  where: (value) => (value === '1' || value === '0' ? eq(products.active, value === '1') : undefined),
}

const common = {
  name: 'products',
  title: 'Products',
  empty: ({ actor }: Context) => ({
    title: 'No products yet',
    text: isDealer(actor)
      ? 'What you can order appears here, with your prices, once products are for sale.'
      : 'Products are what orders are made of: with a price, a unit, and a category, which gives companies their discounts.',
  }),
  sizes: [25, 50, 'all'],
  sort: { key: 'article', dir: 'asc' },
  table: products,
  may: productAccess,
  searchHint: 'article, name, category',
  find: 'products',
} as const

export function withListPrices(db: Database, ids: number[]): ProductRow[] {
  const prices = listPricesOn(db, ids, today())
  return rowsByIds(db, ids).map((row) => ({ ...row, price: prices.get(row.id) ?? null }))
}

/** With what somebody of a company of dealers pays, or else with the price of today. */
export function pricedRows({ server: { db }, actor, t }: Context, ids: number[]): ProductRow[] {
  return isDealer(actor) ? withOwnPrices(db, actor.company_id, t, ids) : withListPrices(db, ids)
}

/** With what a company pays. */
export function withOwnPrices(db: Database, companyId: number | null, t: Translate, ids: number[]): ProductRow[] {
  const rows = rowsByIds(db, ids)
  const prices = unitPrices(db, findBuyer(db, companyId, today()), rows)
  return rows.map((row) => {
    const found = prices.get(row.id)
    if (!found) return { ...row, own_price: null }
    return { ...row, own_price: afterDiscount(found), titles: { own_price: describeOrigin(t, db, found, row) } }
  })
}

function rowsByIds(db: Database, ids: number[]): ProductRow[] {
  const rows = byIds(db).all({ ids: JSON.stringify(ids) })
  return rows.map(({ product, category }) => {
    const picture = product.image && `/products/images/${product.image}`
    return { ...product, category, picture, label: productLabel(product) }
  })
}

const byIds = prepareOnce((db, params) => {
  const rows = db.select({ ...valuesOf(own), product: products }).from(products)
  const named = rows.leftJoin(categories, eq(categories.id, products.category_id))
  return named.where(whereIn(products.id, params.ids)).prepare()
})

export const productDeletion: DeletionPart<Product> = {
  question: 'Delete {count} products?',
  done: '{count} products deleted',
  consequences: [
    ['{count} contract prices will also be deleted.', contractPrices.product_id],
    ['{count} order lines will lose the link to their product. Their prices stay.', orderItems.product_id],
  ],
  restoreConflicts: (db, rows) => {
    const articles = rows.map((row) => String(row.article_search))
    const taken = db.select().from(products).where(inArray(products.article_search, articles)).all()
    return taken.map((product) => ({
      reason: 'taken',
      label: productLabel(product),
      table: 'products',
      columns: ['article'],
      other: { table: 'products', id: product.id },
    }))
  },
}
