import type { FastifyInstance } from 'fastify'
import { findSettings } from '../../database/index.ts'
import type { Language, Translate } from '../../i18n/translate.ts'

export function defaultLanguage({ db, config }: FastifyInstance): Language {
  return findSettings(db).language ?? config.language
}

export function organizationName({ db }: FastifyInstance, t: Translate): string {
  return findSettings(db).name ?? t('Dealer cabinet')
}
