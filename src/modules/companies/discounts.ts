import { asc, eq } from 'drizzle-orm'
import type { Database } from '../../database/open.ts'
import { categoryCompany } from '../../database/schema/index.ts'

export interface DiscountRow {
  id?: number
  category_id: number
  discount: number
}

/** The category discounts of a company, in the order they were entered. */
export function discountsOf(db: Database, companyId: number): DiscountRow[] {
  const { id, category_id, discount } = categoryCompany
  return db
    .select({ id, category_id, discount })
    .from(categoryCompany)
    .where(eq(categoryCompany.company_id, companyId))
    .orderBy(asc(id))
    .all()
}

/**
 * Makes these the category discounts of a company; rows keep their identity. Call it inside `write`.
 * @returns the rows before and after, for the change history
 */
export function saveDiscounts(db: Database, companyId: number, rows: DiscountRow[]): [DiscountRow[], DiscountRow[]] {
  const before = discountsOf(db, companyId)
  // Written anew with the same ids: rows may have swapped their categories, and each category may stand there only once.
  db.delete(categoryCompany).where(eq(categoryCompany.company_id, companyId)).run()
  for (const { id, category_id, discount } of rows)
    db.insert(categoryCompany).values({ id, company_id: companyId, category_id, discount }).run()
  return [before, discountsOf(db, companyId)]
}
