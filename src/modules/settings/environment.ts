import type { Config, EnvironmentVariable } from '../../config.ts'
import type { Context } from '../../http/request/context.ts'
import { template } from '../../http/request/template.ts'
import { type CardFrame, cardPart } from '../../records/kind/card.ts'
import { channelEnvironment } from '../notifications/channels.ts'

type Variable = Config['environment'][number] & { purpose: string }

interface Part {
  id: string
  title: string
  about: string
  example?: Partial<Record<EnvironmentVariable, string>>
}

const environmentPage = template<CardFrame & { now: number; parts: (Part & { variables: Variable[] })[] }>('settings/environment.njk')

const service = {
  id: 'service',
  title: 'Service',
  about: 'Where the service listens, where it keeps its data, and who may do what.',
}

/** What the first steps lead to, before all the rest. */
const parts: (Part & { names: readonly EnvironmentVariable[] })[] = [
  {
    id: 'mail',
    title: 'Email',
    about:
      'Without a mail server nothing goes out by email, and invitations show their link instead. Most servers take an app password here.',
    example: { SMTP_URL: 'smtps://cabinet%40example.com:app-password@smtp.yandex.ru', MAIL_FROM: 'cabinet@example.com' },
    names: ['SMTP_URL', 'SMTP_TLS', 'MAIL_FROM'],
  },
  {
    id: 'time-zone',
    title: 'Time zone',
    about: 'Days of orders and payments begin and end by it. If this time is not yours, have another zone set.',
    names: ['TZ'],
  },
]

export const environmentPart = cardPart(environmentPage, ({ server: { config } }: Context) => {
  const variables = config.environment.map((variable) => ({ ...variable, purpose: purposes[variable.name] }))
  const apart = new Set(parts.flatMap(({ names }) => names))
  return {
    now: Date.now(),
    parts: [
      ...parts.map((part) => ({ ...part, variables: variables.filter(({ name }) => part.names.includes(name)) })),
      { ...service, variables: variables.filter(({ name }) => !apart.has(name)) },
    ],
  }
})

const purposes: Record<EnvironmentVariable, string> = {
  ...channelEnvironment,
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
  WEBHOOK_HOSTS: 'Hosts of the private network to which webhooks may be sent',
}
