import type { Config, EnvironmentVariable } from '../../config.ts'
import type { Context } from '../../http/request/context.ts'
import { template } from '../../http/request/template.ts'
import { type CardFrame, cardPart } from '../../records/kind/card.ts'

type Variable = Config['environment'][number] & { purpose: string }

const environmentPage = template<CardFrame & { environment: Variable[] }>('settings/environment.njk')

export const environmentPart = cardPart(environmentPage, ({ server }: Context) => ({
  environment: server.config.environment.map((variable) => ({ ...variable, purpose: purposes[variable.name] })),
}))

const purposes: Record<EnvironmentVariable, string> = {
  HOST: 'Address of this machine at which the service listens',
  PORT: 'Port on which the service listens',
  BASE_URL: 'Path before every page',
  PUBLIC_URL: 'Address at which people reach the cabinet; links in messages begin with it',
  DATA_DIR: 'Folder with database, uploads, and keys: everything that needs a backup',
  NODE_ENV: 'In production there are neither demo data nor demo passwords',
  DEMO: 'Whether an empty cabinet may be filled with demo data',
  ADMIN_EMAIL: 'Email of the first superadministrator, created while there are no people',
  ADMIN_PASSWORD: 'Password of the first superadministrator',
  LANGUAGE: 'Language where the browser names none, and of default statuses',
  TZ: 'Time zone of dates and times',
  RULES: 'Access rules by the letter of the specification, or strict: the surprising ones as they were meant',
  SECOND_FACTOR: 'Who must have a second factor: nobody, staff, or everyone',
  TRUST_PROXY: 'Whether a reverse proxy says from which address somebody comes',
  READY_TOKEN: 'Lets other machines ask whether the service is ready',
  SMTP_URL: 'Mail server; without it no email is sent',
  SMTP_TLS: 'Whether the mail server must encrypt the connection',
  MAIL_FROM: 'Sender of emails',
  TELEGRAM_BOT_TOKEN: 'Telegram bot that writes to people; without it nothing goes there',
  TELEGRAM_API_URL: 'Address of the Telegram API',
  WEBHOOK_HOSTS: 'Hosts of the private network to which webhooks may be sent',
}
