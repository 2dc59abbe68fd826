import type { Translate } from '../../i18n/translate.ts'

/** What stands below whoever did something in another's name. */
export function impersonatedBy({ impersonator_name }: { impersonator_name: string | null }, t: Translate): { text: string }[] {
  return impersonator_name ? [{ text: t('impersonated by {name}', { name: impersonator_name }) }] : []
}
