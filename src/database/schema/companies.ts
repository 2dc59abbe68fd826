import { sql } from 'drizzle-orm'
import { type AnySQLiteColumn, index, integer, sqliteTable, text, unique, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { belongsTo, flag, id, recordRules, refersTo, searched, trashedRows, versionedColumns } from './columns.ts'
import { categories, manufactures, stocks } from './references.ts'
import { users } from './users.ts'

interface StoredFile {
  name: string
  file: string
}

export const companies = sqliteTable(
  'companies',
  {
    id: id(),
    org: text().notNull(),
    contract_number: text(),
    contract_date: text(),
    inn: text(),
    ogrn: text(),
    kpp: text(),
    okpo: text(),
    okato: text(),
    okved: text(),
    address: text(),
    legal_address: text(),
    director_name_full: text(),
    director_name_short: text(),
    bank: text(),
    bik: text(),
    rs: text(),
    cs: text(),
    phone: text(),
    email: text(),
    discount: integer(),
    /** In kopecks; empty where it is not checked. */
    credit_limit: integer(),
    /** Days after an order became due until it is overdue; empty where it never is. */
    payment_days: integer(),
    /** Whether its dealers may order what is not in the catalog. */
    custom_lines: flag(false),
    specification_start_number: integer(),
    last_specification_number: integer(),
    manufacture_id: refersTo(() => manufactures.id),
    stock_id: refersTo(() => stocks.id),
    manager_id: refersTo((): AnySQLiteColumn => users.id),
    files: text({ mode: 'json' }).$type<StoredFile[]>().notNull().default([]),
    external_id: text(),
    search: text().notNull().default(''),
    /** What the ledger says in kopecks: less than nothing is owed. */
    balance: integer().notNull().default(0),
    ...versionedColumns,
  },
  (table) => [
    index('companies_balance').on(table.balance, sql`${table.id} desc`),
    uniqueIndex('companies_external').on(table.external_id).where(sql`external_id is not null`),
    index('companies_created').on(table.created_at, table.id),
    index('companies_updated').on(table.updated_at, table.id),
    index('companies_org').on(table.search, table.id),
    index('companies_inn').on(table.inn).where(sql`inn is not null`),
    index('companies_manager').on(table.manager_id, table.id),
    index('companies_manufacture').on(table.manufacture_id),
    index('companies_stock').on(table.stock_id),
  ],
)

recordRules(companies, {
  label: sql`${companies.org}`,
  derived: ['last_specification_number', 'balance'],
  folded: { search: ['org'] },
  files: ['files'],
})

export const searchedCompanies = searched(companies, { columns: ['org', 'inn', 'email', 'external_id'], phones: ['phone'] })

export const categoryCompany = sqliteTable(
  'category_company',
  {
    id: id(),
    category_id: belongsTo(() => categories.id),
    company_id: belongsTo(() => companies.id),
    discount: integer().notNull(),
  },
  (table) => [
    unique('category_company_pair').on(table.company_id, table.category_id),
    index('category_company_category').on(table.category_id),
  ],
)

trashedRows(categoryCompany)
