import type { FastifyRequest } from 'fastify'
import { allows } from '../../core/access.ts'
import { fullName } from '../../core/text.ts'
import { may as companyMay } from '../companies/access.ts'
import { findCompany } from '../companies/company.ts'
import { may as dealerMay, findDealer } from '../users/dealers/access.ts'
import type { Order } from './order.ts'

/** Company and dealer of an order, with the addresses of their cards where this person may open them. */
export function presentOwners({ server: { db }, actor }: FastifyRequest, order: Order) {
  const company = findCompany(db, order.owner_company_id ?? 0)
  const dealer = findDealer(db, order.dealer_id ?? 0)
  return {
    company: company && { name: company.org, href: allows(companyMay.view, actor, company) ? `/company/edit/${company.id}` : undefined },
    dealer: dealer && { name: fullName(dealer), href: allows(dealerMay.view, actor, dealer) ? `/dealers/edit/${dealer.id}` : undefined },
  }
}
