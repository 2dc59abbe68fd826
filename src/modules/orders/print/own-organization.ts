import { type Database, findSettings } from '../../../database/index.ts'
import type { Translate } from '../../../i18n/translate.ts'
import { detailsOf, type Party } from './party.ts'

export function ownOrganization(db: Database, t: Translate): Party {
  const settings = findSettings(db)
  return { org: settings.legal_name ?? settings.name ?? undefined, details: detailsOf(settings, t), signatory: settings.signatory }
}
