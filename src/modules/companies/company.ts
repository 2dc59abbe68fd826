import { asc, eq } from 'drizzle-orm'
import { type Author, categoryCompany, companies, type Database, prepareOnce, touch, whereIn } from '../../database/index.ts'
import type { FindRecord } from '../../http/request/route-policy.ts'

export type Company = typeof companies.$inferSelect

const byId = prepareOnce((db, params) => db.select().from(companies).where(eq(companies.id, params.id)).prepare())

export const findCompany: FindRecord<Company> = (db, id) => byId(db).get({ id })

export function companyLabel(row: object): string {
  return (row as { org: string }).org
}

export type DiscountRow = Omit<typeof categoryCompany.$inferInsert, 'company_id'>

export function discountsOf(db: Database, companyId: number): DiscountRow[] {
  const { id, category_id, discount } = categoryCompany
  const rows = db.select({ id, category_id, discount }).from(categoryCompany)
  return rows.where(eq(categoryCompany.company_id, companyId)).orderBy(asc(id)).all()
}

/**
 * Writes to the history of companies that discounts of these categories are about to be deleted, or are restored. Call it inside
 * `write`.
 */
export function recordDiscountChanges(db: Database, categoryIds: number[], what: 'go' | 'are back', author: Author): void {
  const { category_id, company_id } = categoryCompany
  const affected = db.selectDistinct({ id: company_id }).from(categoryCompany).where(whereIn(category_id, categoryIds)).all()
  for (const { id } of affected) {
    const every = discountsOf(db, id)
    const others = every.filter((row) => !categoryIds.includes(row.category_id))
    const company = findCompany(db, id) as Company
    touch(db, companies, company, company.org, { discounts: what === 'go' ? [every, others] : [others, every] }, author)
  }
}
