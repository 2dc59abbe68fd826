import { isIssuable } from '../../../core/documents.ts'
import { performerNames } from '../../../core/labels.ts'
import type { PlannedOrder, StepFacts, StepProblem } from '../../../core/plan-transition.ts'
import { performers, type RequirableField, requirableFields, type Transition } from '../../../core/transition-rules.ts'
import type { Context } from '../../../http/request/context.ts'
import type { Problem } from '../../../http/request/errors.ts'
import { type Fields, missingProblem } from '../../../records/fields/index.ts'
import { orderForm } from '../form.ts'

type Unmet = Extract<StepProblem, { answerable: boolean }>

export const missingIn = (problems: readonly StepProblem[]) => problems.flatMap((one) => (one.kind === 'missing' ? one : []))

/** What of the conditions of a step is not met, for those who see no prices without any. */
export function describeUnmet(problems: readonly StepProblem[], { seesPrices }: Pick<StepFacts, 'seesPrices'>): Problem[] {
  const unmet = problems.filter((one): one is Unmet => one.kind === 'min_paid' || one.kind === 'within_limit')
  if (unmet.length === 0) return []
  return seesPrices ? unmet.map(describeCondition) : [{ message: 'The payment terms of this step are not met' }]
}

function describeCondition(one: Unmet): Problem {
  if (one.kind === 'within_limit')
    return { message: 'Exceeds the credit limit of the company by {excess}', params: { excess: { kopecks: one.excess } } }
  const params = { percent: one.percent, lacking: { kopecks: one.lacking } }
  return { message: 'Requires {percent}% of the cost paid: {lacking} lacking', params }
}

/** What the documents that a step issues lack. */
export const missingDetails = (problems: readonly StepProblem[]) =>
  problems.flatMap((one) => (one.kind === 'incomplete' ? one.missing : []))

const incomplete = 'Its documents cannot be issued yet. Fill in first: {fields}'

/** Whether it is said with the details themselves, where these follow as links. */
export const namesDetails = ({ message }: Problem) => message === incomplete

export function describeIncomplete(problems: readonly StepProblem[]): Problem[] {
  const missing = missingDetails(problems).map(({ label }) => label)
  if (missing.length === 0) return []
  return [{ message: incomplete, params: { fields: missing.join(', ') } }]
}

export function describeMissing({ t }: Pick<Context, 't'>, fields: readonly RequirableField[]): Problem {
  return { message: 'Requires {fields}', params: { fields: fields.map((name) => t(requirableFields[name])).join(', ') } }
}

/** What is asked about prices that hold no longer, with both sums for those who see prices. */
export function describeOutdated({ cost }: Pick<PlannedOrder, 'cost'>, problems: readonly StepProblem[]): Problem | undefined {
  const asked = problems.find((one) => one.kind === 'prices')
  if (!asked) return undefined
  if (asked.elsewhere) return { message: 'The prices of this order no longer hold. Somebody who sees them has to confirm them.' }
  return {
    message: 'The prices of this order are no longer valid: it was placed for {written} and costs {now} today. Choose which prices apply.',
    params: { written: { kopecks: cost }, now: { kopecks: asked.cost } },
  }
}

/** What the form of a step can mend, by its fields. */
export function problemsOfForm(
  order: Pick<PlannedOrder, 'cost'>,
  problems: readonly StepProblem[],
  facts: StepFacts,
): Record<string, Problem> {
  const missing = missingIn(problems).filter(({ elsewhere }) => !elsewhere)
  const prices = problems.some((one) => one.kind === 'prices' && !one.elsewhere) && describeOutdated(order, problems)
  const [excess] = describeUnmet(
    problems.filter((one) => 'answerable' in one && one.answerable),
    facts,
  )
  return {
    ...Object.fromEntries(missing.map(({ field }) => [field, missingField(field)])),
    ...(prices && { prices }),
    ...(excess && { exceed_reason: excess }),
  }
}

function missingField(field: RequirableField): Problem {
  const fields: Fields = orderForm.fields
  return fields[field] ? missingProblem(fields[field]) : { message: 'Required' }
}

/** The first that it cannot mend. */
export function problemElsewhere(
  context: Context,
  order: Pick<PlannedOrder, 'cost'>,
  problems: readonly StepProblem[],
  facts: StepFacts,
): Problem | undefined {
  const fields = missingIn(problems).flatMap(({ field, elsewhere }) => (elsewhere ? field : []))
  if (fields.length > 0) return describeMissing(context, fields)
  if (problems.some((one) => one.kind === 'prices' && one.elsewhere)) return describeOutdated(order, problems)
  const unmet = problems.filter((one) => !('answerable' in one && one.answerable))
  return [...describeIncomplete(problems), ...describeUnmet(unmet, facts)][0]
}

/** Whether nothing that its form asks for can mend it: while prices are to be chosen, something may still change. */
export function isBlocked(problems: readonly StepProblem[]): boolean {
  const asksForPrices = problems.some((one) => one.kind === 'prices' && !one.elsewhere)
  return !asksForPrices && problems.some(isBeyondForm)
}

function isBeyondForm(one: StepProblem): boolean {
  if (one.kind === 'incomplete') return !one.documents.every(isIssuable)
  return ('elsewhere' in one && one.elsewhere) || ('answerable' in one && !one.answerable)
}

/** The documents that cannot be issued yet, for which a file can be uploaded instead. */
export const uploadsFor = (problems: readonly StepProblem[]) =>
  problems.flatMap((one) => (one.kind === 'incomplete' ? one.documents.filter(isIssuable) : []))

export function whyRefused({ t, language }: Context, transition: Transition): string {
  const who = [...performers(transition).map((flag) => t(performerNames[flag])), t('an administrator')]
  return t('Only {who} can do this.', { who: new Intl.ListFormat(language, { type: 'disjunction' }).format(who) })
}
