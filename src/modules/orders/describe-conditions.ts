import type { OrderAccount } from '../../core/credit.ts'
import { seesPrices } from '../../core/prices.ts'
import { type Transition, type UnmetCondition, unmetConditions } from '../../core/transition-rules.ts'
import type { Acting } from '../../web/acting.ts'
import type { Problem } from '../../web/http.ts'

/** What of an order its conditions are about. */
export interface Payable {
  cost: number
  account: OrderAccount
}

export function unmetBy(transition: Transition, { cost, account }: Payable): UnmetCondition[] {
  return unmetConditions(transition, cost, account)
}

/** Why an order cannot take a step yet, for those who see no prices without any. */
export function findUnmetProblems({ actor }: Pick<Acting, 'actor'>, unmet: readonly UnmetCondition[]): Problem[] {
  if (unmet.length === 0) return []
  return seesPrices(actor) ? unmet.map(describeUnmet) : [{ message: 'The payment terms of this step are not met' }]
}

function describeUnmet(one: UnmetCondition): Problem {
  if (one.kind === 'within_limit')
    return { message: 'Exceeds the credit limit of the company by {excess}', params: { excess: { kopecks: one.excess } } }
  const params = { percent: one.percent, lacking: { kopecks: one.lacking } }
  return { message: 'Requires {percent}% of the cost paid: {lacking} lacking', params }
}
