import { checkAccess, group } from '../../core/access.ts'
import { categories, manufactures, stocks } from '../../database/index.ts'
import type { Context } from '../../http/request/context.ts'
import type { FormInput } from '../../http/request/input.ts'
import { today } from '../../i18n/format.ts'
import { loadChoices, whenAsked } from '../../records/form/choices.ts'
import { type FormState, inState } from '../../records/form/form.ts'
import { nameChoices } from '../../records/list/record-filters.ts'
import { productChoicesOfRows } from '../products/product-choices.ts'
import { findManagers } from './choices.ts'
import { type Company, discountsOf } from './company.ts'
import { contractPricesOf } from './contract-prices.ts'

export function companyFormState(context: Context, company: Company | undefined, input: FormInput): FormState {
  if (!company) return newCompanyState(context, input)
  const { db } = context.server
  const contracts = contractPricesOf(db, company.id)
  const choices = whenAsked({
    manager_id: () => loadChoices(context, input, 'manager_id', findManagers(context, { id: company.manager_id ?? 0 }), findManagers),
    stock_id: () => nameChoices(db, stocks),
    manufacture_id: () => nameChoices(db, manufactures),
    'discounts.category_id': () => nameChoices(db, categories),
    ...productChoicesOfRows(
      context,
      input,
      'contract_prices',
      contracts.map(({ product_id }) => product_id),
    ),
  })
  const stored = { ...company, discounts: discountsOf(db, company.id), contract_prices: contracts }
  return {
    mode: 'edit',
    stored,
    choices,
    states: inState('locked', lockedFields(context)),
    rows: { contract_prices: { initial: { from: today() } } },
  }
}

/** What there is only one of is chosen from the start. Managers get the company themselves. */
function newCompanyState(context: Context, input: FormInput): FormState {
  const { actor, server } = context
  const choices = {
    manager_id: loadChoices(context, input, 'manager_id', [], findManagers),
    stock_id: nameChoices(server.db, stocks),
    manufacture_id: nameChoices(server.db, manufactures),
  }
  const only = Object.entries(choices).flatMap(([name, [first, ...others]]) => (first && others.length === 0 ? [[name, first.id]] : []))
  const states = inState('hidden', actor.group_id === group.manager ? ['manager_id'] : [])
  return { mode: 'create', stored: Object.fromEntries(only), choices, states }
}

/** Under the strict rules all discounts need their own policy, since category discounts override the base discount. */
function lockedFields({ server, actor }: Context): string[] {
  const discounts = server.rules.discountNeedsPolicy && !checkAccess(actor, 'company_can_edit_discount')
  const credit = !checkAccess(actor, 'company_can_edit_limit')
  return [...(discounts ? ['discount', 'discounts', 'contract_prices'] : []), ...(credit ? ['credit_limit', 'payment_days'] : [])]
}
