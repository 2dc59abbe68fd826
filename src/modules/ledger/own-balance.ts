import { isDealer } from '../../core/access.ts'
import { seesPrices } from '../../core/prices.ts'
import type { Context } from '../../http/request/context.ts'
import { fragment, template } from '../../http/request/template.ts'
import { companyBalance } from './balance.ts'

const part = template<{ balance: number | undefined }>('ledger/own-balance.njk')

/** What stands above lists of amounts for those who read there of their own company alone. */
export const ownBalanceHeading = fragment(part, (context: Context) => ({ balance: ownBalance(context) }))

/** Of the company of a dealer who sees prices, in kopecks. */
export function ownBalance({ server, actor }: Context): number | undefined {
  const { company_id } = actor
  if (!isDealer(actor) || !company_id || !seesPrices(actor)) return undefined
  return companyBalance(server.db, company_id).balance
}
