import { eq } from 'drizzle-orm'
import { isDealer } from '../../core/access.ts'
import { type Database, users } from '../../database/index.ts'
import type { SuggestionProvider } from '../../http/error-handler.ts'
import { template } from '../../http/request/template.ts'
import { contactLink } from '../../view/contact-link.ts'
import { type Company, findCompany } from './company.ts'

const contactPart = template<{ suggestion: { manager: ReturnType<typeof findContact> } }>('companies/contact.njk')

/** Dealers who are refused something learn whom to ask. */
export const suggestContact: SuggestionProvider = ({ server: { db }, actor }) => {
  if (!isDealer(actor)) return undefined
  const manager = findContact(db, findCompany(db, actor.company_id ?? 0))
  return manager && { ...contactPart, manager }
}

/** The manager whom dealers of a company turn to. */
export function findContact(db: Database, company: Company | undefined) {
  const managed = eq(users.id, company?.manager_id ?? 0)
  const manager = db.select().from(users).where(managed).get()
  return manager?.active ? { ...manager, phoneLink: contactLink('phone', manager.phone) } : undefined
}
