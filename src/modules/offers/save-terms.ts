import { eq } from 'drizzle-orm'
import { categoryMarkups, createRecord, type Database, offerTerms, updateRecord } from '../../database/index.ts'
import type { Context } from '../../http/request/context.ts'
import { ValidationFailed } from '../../http/request/errors.ts'
import type { EditValues } from '../../records/form/form.ts'
import type { Company } from '../companies/company.ts'
import type { termsForm } from './form.ts'
import { findTerms, type MarkupRow, markupsOf } from './terms.ts'

/** Call it inside `write`. */
export function saveTerms({ server: { db }, author }: Context, company: Company, input: EditValues<typeof termsForm>): void {
  const { markups, markup, round_to, valid_days, ...others } = input
  const before = findTerms(db, company.id)
  const numbers = { ...(markup != null && { markup }), ...(round_to != null && { round_to }), ...(valid_days != null && { valid_days }) }
  const rows = () => (markups ? { markups: saveMarkups(db, company.id, markups) } : undefined)
  if (before) return void updateRecord(db, offerTerms, before, { ...others, ...numbers }, company.org, author, rows())
  if (markup == null) throw new ValidationFailed({ markup: 'Required' })
  createRecord(db, offerTerms, { ...others, ...numbers, markup, company_id: company.id }, company.org, author, () => rows() ?? {})
}

/** Replaces the markups of a company; rows keep their ids. Call it inside `write`. */
function saveMarkups(db: Database, companyId: number, rows: readonly MarkupRow[]): [MarkupRow[], MarkupRow[]] {
  const before = markupsOf(db, companyId)
  // Rows may swap categories, and each category is unique, so updating them one by one would fail.
  db.delete(categoryMarkups).where(eq(categoryMarkups.company_id, companyId)).run()
  for (const { id, category_id, markup } of rows)
    db.insert(categoryMarkups).values({ id, company_id: companyId, category_id, markup }).run()
  return [before, markupsOf(db, companyId)]
}
