import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text, unique, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { roundings } from '../../core/pricing.ts'
import { belongsTo, id, recordRules, trashedRows, versionedColumns } from './columns.ts'
import { companies } from './companies.ts'
import { categories } from './references.ts'

/** How a company makes offers to its own customers. */
export const offerTerms = sqliteTable(
  'offer_terms',
  {
    id: id(),
    company_id: belongsTo(() => companies.id),
    name: text(),
    phone: text(),
    logo: text(),
    /** What stands below the lines. */
    text: text(),
    /** In percent of what the company pays. */
    markup: integer().notNull(),
    round_to: text({ enum: roundings }).notNull().default('1'),
    valid_days: integer().notNull().default(14),
    ...versionedColumns,
  },
  (table) => [
    uniqueIndex('offer_terms_company').on(table.company_id),
    index('offer_terms_logo').on(table.logo).where(sql`logo is not null`),
  ],
)

recordRules(offerTerms, { label: sql`coalesce(${offerTerms.name}, '')`, files: ['logo'] })

/** Markups in percent that hold for a category instead. */
export const categoryMarkups = sqliteTable(
  'category_markups',
  {
    id: id(),
    category_id: belongsTo(() => categories.id),
    company_id: belongsTo(() => companies.id),
    markup: integer().notNull(),
  },
  (table) => [
    unique('category_markups_pair').on(table.company_id, table.category_id),
    index('category_markups_category').on(table.category_id),
  ],
)

trashedRows(categoryMarkups)
