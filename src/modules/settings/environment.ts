import type { FastifyRequest } from 'fastify'
import type { Config } from '../../config.ts'
import type { Settings } from '../../database/index.ts'
import { type CardFrame, cardPart, type Tab } from '../../web/card/card.ts'
import { page } from '../../web/http.ts'
import { mayChangeSettings } from './access.ts'

const environmentPage = page<CardFrame & Pick<Config, 'environment'>>('settings/environment.njk')

export const environmentTab: Tab<Settings> = {
  name: 'environment',
  label: 'Environment',
  rule: mayChangeSettings,
  ...cardPart(environmentPage, ({ server }: FastifyRequest) => ({ environment: server.config.environment })),
}
