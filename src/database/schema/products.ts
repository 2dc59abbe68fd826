import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text, unique } from 'drizzle-orm/sqlite-core'
import { bases, type Unit, unitCodes } from '../../core/pricing.ts'
import { belongsTo, flag, id, recordRules, refersTo, searched, trashedRows, versionedColumns } from './columns.ts'
import { companies } from './companies.ts'
import { categories } from './references.ts'

const units = Object.keys(unitCodes) as [Unit, ...Unit[]]

export const products = sqliteTable(
  'products',
  {
    id: id(),
    category_id: refersTo(() => categories.id),
    article: text().notNull(),
    name: text().notNull(),
    unit: text({ enum: units }).notNull().default('pcs'),
    basis: text({ enum: bases }).notNull().default('each'),
    /** Sizes in millimeters. */
    width_min: integer(),
    width_max: integer(),
    height_min: integer(),
    height_max: integer(),
    /** The least that is charged for a piece, in hundredths of m² or m. */
    minimum: integer(),
    description: text(),
    image: text(),
    active: flag(true),
    external_id: text(),
    search: text().notNull().default(''),
    article_search: text().notNull().default(''),
    ...versionedColumns,
  },
  (table) => [
    index('products_article').on(table.article_search, table.id),
    index('products_updated').on(table.updated_at, table.id),
    index('products_name').on(table.search, table.id),
    index('products_category').on(table.category_id, table.id),
    index('products_external').on(table.external_id).where(sql`external_id is not null`),
    index('products_image').on(table.image).where(sql`image is not null`),
    index('products_active').on(table.active, table.article_search, table.id),
  ],
)

recordRules(products, {
  label: sql`concat_ws(' ', ${products.article}, ${products.name})`,
  // Articles are told apart by theirs, too.
  folded: { search: ['name'], article_search: ['article'] },
  files: ['image'],
})

export const searchedProducts = searched(products, { columns: ['article', 'name', 'external_id'] })

/** A price holds from its day until that of the next one. */
export const productPrices = sqliteTable(
  'product_prices',
  {
    id: id(),
    product_id: belongsTo(() => products.id),
    from: text().notNull(),
    price: integer().notNull(),
  },
  (table) => [unique('product_prices_day').on(table.product_id, table.from)],
)

trashedRows(productPrices)

/** What a company pays for a product, whatever its price and the discounts, from a day until another, both included. */
export const contractPrices = sqliteTable(
  'contract_prices',
  {
    id: id(),
    company_id: belongsTo(() => companies.id),
    product_id: belongsTo(() => products.id),
    from: text().notNull(),
    until: text(),
    price: integer().notNull(),
  },
  (table) => [
    index('contract_prices_company').on(table.company_id, table.product_id, table.from),
    index('contract_prices_product').on(table.product_id),
  ],
)

trashedRows(contractPrices)
