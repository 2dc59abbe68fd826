import { type Actor, group, isDealer } from '../../core/access.ts'
import { fullName } from '../../core/text.ts'
import { type Database, findSettings, findUser } from '../../database/index.ts'
import type { SuggestionProvider } from '../../http/error-handler.ts'
import type { Context } from '../../http/request/context.ts'
import { organizationName } from '../../http/request/organization.ts'
import { template } from '../../http/request/template.ts'
import { contactLinks } from '../../view/contact-link.ts'
import { findCompany } from './company.ts'

const contactPart = template<{ suggestion: { contact: ReturnType<typeof findContact> } }>('companies/contact.njk')

/** Dealers who are refused something learn whom to ask. */
export const suggestContact: SuggestionProvider = (request) => {
  if (!isDealer(request.actor)) return undefined
  const contact = findContact(request)
  return contact && { ...contactPart, contact }
}

/** Whom a dealer turns to: the manager while there is one, else the organization, if its settings say how to reach it. */
export function findContact({ server, actor, t }: Context) {
  const { db } = server
  const manager = findManager(db, actor)
  if (manager) return { person: manager, name: fullName(manager), ...contactLinks(manager) }
  const { contact_phone: phone, contact_email: email } = findSettings(db)
  return phone || email ? { person: manager, name: organizationName(server, t), ...contactLinks({ phone, email }) } : undefined
}

/** A dealer's own manager decides only where the company has none, and only as long as they are a manager. */
function findManager(db: Database, actor: Actor) {
  const ofCompany = findCompany(db, actor.company_id ?? 0)?.manager_id
  const manager = ofCompany ? findUser(db, ofCompany) : findOwnManager(db, actor)
  return manager?.active ? manager : undefined
}

function findOwnManager(db: Database, { id }: Actor) {
  const own = findUser(db, findUser(db, id)?.manager_id ?? 0)
  return own?.group_id === group.manager ? own : undefined
}
