import { eq } from 'drizzle-orm'
import { allows } from '../../../core/access.ts'
import { fullName } from '../../../core/text.ts'
import { prepareOnce, users } from '../../../database/index.ts'
import type { Context } from '../../../http/request/context.ts'
import { readingPath } from '../../../records/list/record-paths.ts'
import { contactLink } from '../../../view/contact-link.ts'
import { companyAccess as companyMay } from '../../companies/access.ts'
import { findCompany } from '../../companies/company.ts'
import { dealerAccess as dealerMay, findDealer } from '../../users/dealers/access.ts'
import type { Order } from '../order.ts'

/** The company that an order belongs to, with the address of its card where this person may open it. */
export function viewOfCompany(context: Context, order: Order) {
  const company = findCompany(context.server.db, order.owner_company_id ?? 0)
  return (
    company && {
      name: company.org,
      href: allows(companyMay.view, context.actor, company) ? readingPath(context, 'companies', company.id) : undefined,
    }
  )
}

function viewOfDealer(context: Context, order: Order) {
  const dealer = findDealer(context.server.db, order.dealer_id ?? 0)
  return (
    dealer && {
      name: fullName(dealer),
      href: allows(dealerMay.view, context.actor, dealer) ? readingPath(context, 'dealers', dealer.id) : undefined,
      person: dealer,
    }
  )
}

/** Whom an order belongs to and who looks after it, with how to reach them; whoever reads knows themselves. */
export function viewOfPeople(context: Context, order: Order) {
  const manager = managerOf(context.server.db).get({ manager: order.owner_manager_id })
  return {
    company: viewOfCompany(context, order),
    dealer: viewOfDealer(context, order),
    isUnmanaged: !manager,
    manager: manager &&
      manager.id !== context.actor.id && {
        ...manager,
        phoneLink: contactLink('phone', manager.phone),
        emailLink: contactLink('email', manager.email),
      },
  }
}

/** Who looks after an order, with how to reach them. */
export const managerOf = prepareOnce((db, params) => {
  const { id, lastname, name, middlename, image, phone, email } = users
  return db.select({ id, lastname, name, middlename, image, phone, email }).from(users).where(eq(id, params.manager)).prepare()
})
