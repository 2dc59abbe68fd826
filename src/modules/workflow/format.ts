import { documentKindLabels } from '../../core/labels.ts'
import { performers, requirableFields, type Transition } from '../../core/transition-rules.ts'
import type { Translate } from '../../i18n/translate.ts'
import labels from './labels.json' with { type: 'json' }

export function formatPerformers(transition: Transition, t: Translate): string {
  const allowed = performers(transition).map((flag) => t(labels.performers[flag]))
  return allowed.length > 0 ? allowed.join(', ') : t('administrators only')
}

/** Who may make a transition, and whether it is made by itself. */
export function formatMakers(transition: Transition, t: Translate): string {
  return [formatPerformers(transition, t), ...(transition.when_paid ? [t('by itself once paid')] : [])].join('; ')
}

/** What a transition requires, from `requirementsOf`. */
export function formatRequirements(requirements: readonly string[], t: Translate): string {
  return requirements.map((one) => formatRequirement(one, t)).join(', ')
}

function formatRequirement(name: string, t: Translate): string {
  const percent = /^min_paid (\d+)$/.exec(name)?.[1]
  if (percent) return t('{percent}% paid', { percent })
  return t(name === 'within_limit' ? 'within the credit limit' : ((requirableFields as Record<string, string>)[name] ?? name))
}

export function formatFieldNames(fields: readonly string[], names: Readonly<Record<string, string>>, t: Translate): string {
  return fields.map((field) => t(names[field] ?? field)).join(', ')
}

export function formatIssues({ issues = [] }: Transition, t: Translate): string | undefined {
  return issues.length > 0 ? t('issues {documents}', { documents: formatFieldNames(issues, documentKindLabels, t) }) : undefined
}
