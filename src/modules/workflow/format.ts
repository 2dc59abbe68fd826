import { performerNames } from '../../core/labels.ts'
import { type Flag, performers, type Transition } from '../../core/transition-rules.ts'
import type { Translate } from '../../i18n/translate.ts'

const shortPerformerNames: Record<Flag, string> = {
  dealer_can: 'dealer',
  manager_can: 'manager',
  production_can: 'production',
  dealers_can: 'any dealer',
  managers_can: 'any manager',
  productions_can: 'any production user',
}

export function formatPerformers(transition: Transition, t: Translate): string {
  const allowed = performers(transition).map((flag) => t(shortPerformerNames[flag]))
  return allowed.length > 0 ? allowed.join(', ') : t('administrators only')
}

const performerLetters: Record<Flag | 'none', string> = {
  dealer_can: 'D',
  manager_can: 'M',
  production_can: 'P',
  dealers_can: 'D+',
  managers_can: 'M+',
  productions_can: 'P',
  none: 'A',
}

export function abbreviatePerformers(transition: Transition, t: Translate): string {
  const allowed = performers(transition)
  const letters = allowed.length > 0 ? allowed : (['none'] as const)
  return letters.map((flag) => t(performerLetters[flag])).join('')
}

export function describeLetters(t: Translate): { letter: string; words: string }[] {
  return (['dealer_can', 'dealers_can', 'manager_can', 'managers_can', 'production_can', 'none'] as const).map((flag) => ({
    letter: t(performerLetters[flag]),
    words: flag === 'none' ? t('administrators only') : t(performerNames[flag]),
  }))
}

export function formatFieldNames(fields: readonly string[], names: Readonly<Record<string, string>>, t: Translate): string {
  return fields.map((field) => t(names[field] ?? field)).join(', ')
}
