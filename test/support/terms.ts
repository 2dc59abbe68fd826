import type { Database } from '../../src/database/open.ts'
import { categoryMarkups, offerTerms } from '../../src/database/schema/index.ts'

type Terms = Partial<typeof offerTerms.$inferInsert>

/** How a company makes offers to its customers; markups by category. */
export function insertTerms(db: Database, company_id: number, values: Terms = {}, markups: Record<number, number> = {}): number {
  for (const [category, markup] of Object.entries(markups))
    db.insert(categoryMarkups)
      .values({ company_id, category_id: Number(category), markup })
      .run()
  return Number(
    db
      .insert(offerTerms)
      .values({ company_id, markup: 10, ...values })
      .run().lastInsertRowid,
  )
}
