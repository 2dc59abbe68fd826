import { seesPrices } from '../../core/prices.ts'
import { missingFields, type RequirableField, requirableFields, type Transition, type UnmetCondition } from '../../core/transition-rules.ts'
import type { Acting } from '../../web/acting.ts'
import type { Entry } from '../../web/form/form.ts'
import { forbidden, type Problem } from '../../web/http.ts'
import { findUnmetProblems, unmetBy } from './describe-conditions.ts'
import { unseenOf } from './form.ts'
import type { Order } from './order.ts'
import { mayExceed } from './present-transitions.ts'
import { describeOutdated, mayKeepPrices, type OutdatedPrices, unconfirmed } from './pricing/outdated-prices.ts'

interface Attempt {
  order: Order
  transition: Transition
  /** What was sent; it gets the errors of what its form can mend. */
  entry: Entry
  outdated: OutdatedPrices | undefined
}

/**
 * What an order lacks for a step that its form cannot mend: fields that this person does not see, prices of lines, prices that somebody
 * else has to confirm, and conditions.
 * @throws HttpError (403) when this person may not keep prices
 */
export function findStepProblem(acting: Acting, attempt: Attempt): Problem | undefined {
  const elsewhere = requireFields(acting, attempt)
  requirePricesAnswer(acting, attempt)
  const unmet = requireExceedReason(acting, attempt)
  if (elsewhere.length > 0) return describeElsewhere(acting, elsewhere)
  if (attempt.outdated && !seesPrices(acting.actor)) return unconfirmed
  return findUnmetProblems(acting, unmet)[0]
}

/** Somebody who may not see a field cannot fill it in, and prices are filled in with the lines. */
function requireFields({ actor }: Acting, { order, transition, entry }: Attempt): RequirableField[] {
  const hasPayment = order.hasPayment || Boolean(entry.values.amount)
  const missing = missingFields(transition, { ...order, ...entry.values, hasPayment })
  const elsewhere = missing.filter((name) => name === 'prices' || unseenOf(actor).includes(name))
  for (const name of missing) if (!elsewhere.includes(name)) entry.errors[name] ??= { message: 'Required' }
  return elsewhere
}

function describeElsewhere({ t }: Acting, fields: readonly RequirableField[]): Problem {
  return { message: 'Requires {fields}', params: { fields: fields.map((name) => t(requirableFields[name])).join(', ') } }
}

function requirePricesAnswer(acting: Acting, { order, entry, outdated }: Attempt): void {
  if (!outdated || !seesPrices(acting.actor)) return
  if (entry.values.prices === 'keep' && !mayKeepPrices(acting, order)) throw forbidden('You cannot set prices.')
  if (!entry.values.prices) entry.errors.prices ??= describeOutdated(order, outdated)
}

/** Whoever may exceed the limit says why; all other conditions have to be met. */
function requireExceedReason(acting: Acting, { order, transition, entry, outdated }: Attempt): UnmetCondition[] {
  const cost = outdated && entry.values.prices === 'renew' ? outdated.cost : order.cost
  const unmet = unmetBy(transition, { ...order, cost })
  const exceeded = unmet.filter(({ kind }) => kind === 'within_limit' && mayExceed(acting.actor))
  const [excess] = findUnmetProblems(acting, exceeded)
  if (!excess) delete entry.values.exceed_reason
  else if (!entry.values.exceed_reason) entry.errors.exceed_reason ??= excess
  return unmet.filter((one) => !exceeded.includes(one))
}
