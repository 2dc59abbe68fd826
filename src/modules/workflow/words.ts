import { type Flag, performerNames, performers, type Transition } from '../../core/transition.ts'
import type { Translate } from '../../web/i18n/translate.ts'

/** Performers, as short as an arrow needs them. */
const onArrows: Record<Flag, string> = {
  dealer_can: 'dealer',
  manager_can: 'manager',
  production_can: 'production',
  dealers_can: 'any dealer',
  managers_can: 'any manager',
  productions_can: 'any production user',
}

/** Who may walk a way, in few words; administrators walk every one. */
export function walkersInWords(transition: Transition, t: Translate): string {
  const walkers = performers(transition).map((flag) => t(onArrows[flag]))
  return walkers.length > 0 ? walkers.join(', ') : t('administrators only')
}

/** What `walkersInWords` says in letters, for drawings that have no room for words. */
const letters: Record<Flag | 'none', string> = {
  dealer_can: 'D',
  manager_can: 'M',
  production_can: 'P',
  dealers_can: 'D+',
  managers_can: 'M+',
  productions_can: 'P',
  none: 'A',
}

export function walkersInLetters(transition: Transition, t: Translate): string {
  const walkers = performers(transition)
  const shown = walkers.length > 0 ? walkers : (['none'] as const)
  return shown.map((flag) => t(letters[flag])).join('')
}

/** What the letters stand for. */
export function lettersExplained(t: Translate): { letter: string; words: string }[] {
  return (['dealer_can', 'dealers_can', 'manager_can', 'managers_can', 'production_can', 'none'] as const).map((flag) => ({
    letter: t(letters[flag]),
    words: flag === 'none' ? t('administrators only') : t(performerNames[flag]),
  }))
}

/** Names of fields of an order in a row. */
export function fieldsInWords(fields: readonly string[], names: Readonly<Record<string, string>>, t: Translate): string {
  return fields.map((field) => t(names[field] ?? field)).join(', ')
}
