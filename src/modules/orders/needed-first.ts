import { and, eq, isNotNull } from 'drizzle-orm'
import { type AnyRule, anyOf, group, has } from '../../core/access.ts'
import { cachedUntilWrite, categories, type Database, prepareOnce, users } from '../../database/index.ts'
import { companyAccess } from '../companies/access.ts'
import { addCompany, anyCompany } from '../companies/first-company.ts'
import { productAccess } from '../products/access.ts'
import { hasPricedProduct } from '../products/list-prices.ts'
import { dealerAccess } from '../users/dealers/access.ts'

interface Needed {
  path: string
  label: string
  rule: AnyRule
  title: string
  why: string
  /** For those who may not add it. */
  promise: string
  /** How it comes from a sheet. */
  way: { path: string; label: string; rule: AnyRule }
}

const company: Needed = {
  ...addCompany,
  ...{ title: 'No companies yet', why: 'An order belongs to a company. Add one first.' },
  promise: 'Orders are placed for a dealer. Ask an administrator to add the first one.',
  way: { path: '/companies/import', label: 'Import companies', rule: companyAccess.add },
}
const dealer: Needed = {
  ...{ path: '/dealers/add', label: 'Add dealer', rule: dealerAccess.add },
  ...{ title: 'There are no dealers yet', why: 'An order is placed for a dealer. Add one first.' },
  promise: company.promise,
  way: { path: '/dealers/import', label: 'Import dealers', rule: dealerAccess.add },
}
const category: Needed = {
  ...{ path: '/categories/add', label: 'Add category', rule: anyOf(has('category_can_edit')) },
  ...{ title: 'No products yet', why: 'An order consists of products. Add a category for them first.' },
  promise: 'There is nothing to order yet: products are still being entered.',
  way: { path: '/products/import', label: 'Import products', rule: productAccess.add },
}

/** What has to be added before anybody can place the first order, in the order of the first steps. */
export function neededFirst(db: Database): Needed | undefined {
  return cachedUntilWrite(db, 'needed first', () => {
    if (lacksProducts(db)) return category
    if (!anyCompany(db).get()) return company
    return anyDealer(db).get() ? undefined : dealer
  })
}

/** A line is of a product, or else of a category. */
export function lacksProducts(db: Database): boolean {
  return !anyCategory(db).get() && !hasPricedProduct(db)
}

const anyCategory = prepareOnce((db) => db.select({ id: categories.id }).from(categories).limit(1).prepare())

/** Orders are placed for dealers of companies. */
const anyDealer = prepareOnce((db) => {
  const { id, group_id, company_id } = users
  const attached = and(eq(group_id, group.dealer), isNotNull(company_id))
  return db.select({ id }).from(users).where(attached).limit(1).prepare()
})
