import { and, eq, isNotNull } from 'drizzle-orm'
import { anyOf, group, has } from '../../core/access.ts'
import { categories, companies, type Database, users } from '../../database/index.ts'
import { companyAccess } from '../companies/access.ts'
import { hasPricedProduct } from '../products/list-prices.ts'
import { dealerAccess } from '../users/dealers/access.ts'

const company = {
  ...{ path: '/company/add', label: 'Add company', rule: companyAccess.add },
  why: 'An order belongs to a company. Add one first.',
}
const dealer = { path: '/dealers/add', label: 'Add dealer', rule: dealerAccess.add, why: 'An order is placed for a dealer. Add one first.' }
const category = {
  ...{ path: '/categories/add', label: 'Add category', rule: anyOf(has('category_can_edit')) },
  why: 'An order consists of products. Add a category for them first.',
}

/** What has to be added before anybody can place the first order, and why. */
export function neededFirst(db: Database) {
  if (db.select({ id: companies.id }).from(companies).limit(1).get() === undefined) return company
  if (lacksDealers(db)) return dealer
  return lacksProducts(db) ? category : undefined
}

/** A line is of a product, or else of a category. */
export function lacksProducts(db: Database): boolean {
  return db.select({ id: categories.id }).from(categories).limit(1).get() === undefined && !hasPricedProduct(db)
}

/** Orders are placed for dealers of companies. */
export function lacksDealers(db: Database): boolean {
  const { id, group_id, company_id } = users
  const attached = db
    .select({ id })
    .from(users)
    .where(and(eq(group_id, group.dealer), isNotNull(company_id)))
    .limit(1)
  return attached.get() === undefined
}
