import { systemName } from '../../database/index.ts'
import type { Translate } from '../../i18n/translate.ts'

/** The author of what the first start creates. */
export const firstStart = 'First start'

const nobodysNames: Record<string, string> = { [systemName]: 'System', [firstStart]: firstStart }

/** Who acted, in words: what nobody did is stored under names of ours. */
export function actorNameFor(t: Translate, name: string): string {
  const known = nobodysNames[name]
  return known ? t(known) : name
}
