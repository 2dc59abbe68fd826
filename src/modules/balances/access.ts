import { allOf, anyOf, group, has, isGroup, type Rule } from '../../core/access.ts'
import { type CompanyFacts, companyAccess } from '../companies/access.ts'

/** Staff, of the companies that they see, with their prices. Dealers read the ledger of their own. */
export const mayReadBalances: Rule<CompanyFacts> = allOf(
  companyAccess.view,
  anyOf(has('order_can_view_prices')),
  anyOf(isGroup(group.administrator), isGroup(group.manager), isGroup(group.production)),
)
