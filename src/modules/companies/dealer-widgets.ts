import { eq } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import { categories, categoryCompany, companies, users } from '../../database/schema/index.ts'
import { page, part } from '../../web/view/page.ts'

const contactPart = page<{ widget: ReturnType<typeof loadTerms> }>('companies/dealer-terms.njk')

export const dealerTermsWidget = part(contactPart, (request: FastifyRequest) => ({ widget: loadTerms(request) }))

function loadTerms({ server: { db }, actor }: FastifyRequest) {
  const id = actor.company_id ?? 0
  const company = db.select().from(companies).where(eq(companies.id, id)).get()
  const managed = eq(users.id, company?.manager_id ?? 0)
  const manager = db.select().from(users).where(managed).get()
  const discounts = db
    .select({ name: categories.name, discount: categoryCompany.discount })
    .from(categoryCompany)
    .innerJoin(categories, eq(categories.id, categoryCompany.category_id))
    .where(eq(categoryCompany.company_id, id))
    .orderBy(categories.search)
    .all()
  return { company, manager: manager?.active ? manager : undefined, discounts }
}
