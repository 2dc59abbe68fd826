import { allOf, anyOf, group, has, isDealer, isGroup, isSameId, owned, type Rule } from '../../core/access.ts'
import { companyAccess } from '../companies/access.ts'
import type { Company } from '../companies/company.ts'
import type { User } from '../users/user.ts'

const noOtherCompany = owned<{ id: number }>(
  'your own company, if you are a dealer',
  (actor, { id }) => !isDealer(actor) || isSameId(id, actor.company_id),
)

const ofCompany = owned<User>('dealers of a company', (_actor, { company_id }) => company_id !== null)

const dealer = anyOf(isGroup(group.dealer))

export const termsAccess = {
  /** The tab of a dealer's own profile. */
  own: allOf<User>(dealer, anyOf(has('company_offer_can_edit', ofCompany))),
  editOwn: allOf(dealer, anyOf(has('company_offer_can_edit'))),
  /** On the card of a company, for whoever may see that. */
  edit: allOf<Company>(companyAccess.act, anyOf(has('company_offer_can_edit', noOtherCompany))),
} satisfies Record<string, Rule | Rule<User> | Rule<Company>>
