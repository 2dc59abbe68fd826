import { allows } from '../../../core/access.ts'
import { fullName } from '../../../core/text.ts'
import type { Context } from '../../../http/request/context.ts'
import { readingPath } from '../../../records/list/record-paths.ts'
import { contactLink } from '../../../view/contact-link.ts'
import { companyAccess as companyMay } from '../../companies/access.ts'
import { findCompany } from '../../companies/company.ts'
import { dealerAccess as dealerMay, findDealer } from '../../users/dealers/access.ts'
import type { Order } from '../order.ts'
import { findFacts } from './properties.ts'

/** Company and dealer of an order, with the addresses of their cards where this person may open them. */
export function viewOfOwners(context: Context, order: Order) {
  const { actor } = context
  const { db } = context.server
  const company = findCompany(db, order.owner_company_id ?? 0)
  const dealer = findDealer(db, order.dealer_id ?? 0)
  return {
    company: company && {
      name: company.org,
      href: allows(companyMay.view, actor, company) ? readingPath(context, 'companies', company.id) : undefined,
    },
    dealer: dealer && {
      name: fullName(dealer),
      href: allows(dealerMay.view, actor, dealer) ? readingPath(context, 'dealers', dealer.id) : undefined,
      person: dealer,
    },
  }
}

/** Whom an order belongs to and who looks after it, with how to reach them; whoever reads knows themselves. */
export function viewOfPeople(context: Context, order: Order) {
  const { manager } = findFacts(context.server.db).get({ order: order.id }) ?? {}
  return {
    ...viewOfOwners(context, order),
    isUnmanaged: !manager,
    manager: manager &&
      manager.id !== context.actor.id && {
        ...manager,
        phoneLink: contactLink('phone', manager.phone),
        emailLink: contactLink('email', manager.email),
      },
  }
}
