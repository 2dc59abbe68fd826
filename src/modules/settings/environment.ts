import type { FastifyRequest } from 'fastify'
import type { Config } from '../../config.ts'
import type { Settings } from '../../database/settings.ts'
import { type CardFrame, cardPart } from '../../web/card/pages.ts'
import type { Tab } from '../../web/card/tabs.ts'
import { page } from '../../web/view/page.ts'
import { mayChangeSettings } from './access.ts'

interface EnvironmentSetting {
  name: string
  value: string
}

const environmentPage = page<CardFrame & { environment: EnvironmentSetting[] }>('settings/environment.njk')

export const environmentTab: Tab<Settings> = {
  name: 'environment',
  label: 'Environment',
  rule: mayChangeSettings,
  ...cardPart(environmentPage, ({ server }: FastifyRequest) => ({ environment: environmentSettings(server.config) })),
}

function environmentSettings(config: Config): EnvironmentSetting[] {
  const { mail, telegram, admin } = config
  const values: Record<string, unknown> = {
    HOST: config.host,
    PORT: config.port,
    BASE_URL: config.baseUrl,
    PUBLIC_URL: config.publicOrigin,
    DATA_DIR: config.dataDir,
    DEMO: config.demo ? 'on' : 'off',
    ADMIN_EMAIL: admin?.email,
    ADMIN_PASSWORD: setOrNot(admin),
    LANGUAGE: config.language,
    TZ: config.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    RULES: config.rules,
    SECOND_FACTOR: config.secondFactor,
    TRUST_PROXY: config.trustProxy ? 'on' : 'off',
    READY_TOKEN: setOrNot(config.readyToken),
    SMTP_URL: setOrNot(mail),
    MAIL_FROM: mail?.from,
    TELEGRAM_BOT_TOKEN: setOrNot(telegram),
    TELEGRAM_API_URL: telegram?.url,
  }
  return Object.entries(values).map(([name, value]) => ({ name, value: String(value ?? '') }))
}

const setOrNot = (secret: unknown) => (secret ? 'set' : undefined)
