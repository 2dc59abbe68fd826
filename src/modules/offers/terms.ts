import { asc, eq } from 'drizzle-orm'
import { type Actor, allows, isSameId } from '../../core/access.ts'
import { categoryMarkups, companies, type Database, offerTerms, prepareOnce } from '../../database/index.ts'
import type { AttachmentSource } from '../../records/attachments.ts'
import type { Company } from '../companies/company.ts'
import { termsAccess } from './access.ts'

/** How a company makes offers to its own customers: all of its dealers alike. */
export type OfferTerms = typeof offerTerms.$inferSelect

export type MarkupRow = Omit<typeof categoryMarkups.$inferInsert, 'company_id'>

const byCompany = prepareOnce((db, params) => db.select().from(offerTerms).where(eq(offerTerms.company_id, params.company)).prepare())

/** Nothing until somebody has said what is added to the company's own prices. */
export const findTerms = (db: Database, companyId: number): OfferTerms | undefined => byCompany(db).get({ company: companyId })

export function markupsOf(db: Database, companyId: number): MarkupRow[] {
  const { id, category_id, company_id, markup } = categoryMarkups
  const rows = db.select({ id, category_id, markup }).from(categoryMarkups)
  return rows.where(eq(company_id, companyId)).orderBy(asc(id)).all()
}

const byLogo = prepareOnce((db, params) =>
  db
    .select({ id: offerTerms.id, company: companies })
    .from(offerTerms)
    .leftJoin(companies, eq(companies.id, offerTerms.company_id))
    .where(eq(offerTerms.logo, params.key))
    .prepare(),
)

export const logoFiles: AttachmentSource = (db, key) =>
  byLogo(db)
    .all({ key })
    .map(({ id, company }) => ({
      record: { entity: 'offer_terms', id, field: 'logo' },
      mayRead: (actor) => company !== null && seesLogo(actor, company),
    }))

/** Whoever makes offers with it, or may change it. */
const seesLogo = (actor: Actor, company: Company): boolean =>
  isSameId(actor.company_id, company.id) || allows(termsAccess.edit, actor, company)
