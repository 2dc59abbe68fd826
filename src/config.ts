import { isIP } from 'node:net'
import { resolve } from 'node:path'
import * as z from 'zod'
import { isCommonPassword } from './core/passwords.ts'

const onOff = z.enum(['on', 'off'], { error: 'on or off' }).transform((value) => value === 'on')
const timeZone = z.string().refine(isTimeZone, 'a time zone such as Europe/Moscow')
const webUrl = (protocols: RegExp) => z.url({ protocol: protocols, error: 'an address with its scheme' })

const originFormat = 'an address without a path, such as https://cabinet.example.com'

const portFormat = 'a port from 0 to 65535'

const settings = z.object({
  HOST: z.string().min(1).default('127.0.0.1'),
  PORT: z
    .string()
    .regex(/^\d{1,5}$/, portFormat)
    .transform(Number)
    .refine((port) => port <= 65535, portFormat)
    .default(3000),
  BASE_URL: z
    .string()
    .regex(/^(\/[\w.~-]+)+\/?$/, 'a path such as /cabinet')
    .transform((path) => path.replace(/\/$/, ''))
    .default(''),
  PUBLIC_URL: z
    .url({ protocol: /^https?$/, error: originFormat })
    .refine((address) => URL.canParse(address) && new URL(address).pathname === '/' && !/[?#@]/.test(address), originFormat)
    .transform((address) => new URL(address).origin)
    .optional(),
  DATA_DIR: z.string().min(1).default('data'),
  NODE_ENV: z.string().default(''),
  DEMO: onOff.default(true),
  ADMIN_EMAIL: z.email('an email address').optional(),
  ADMIN_PASSWORD: z
    .string()
    .min(8, '8 to 256 characters')
    .max(256, '8 to 256 characters')
    .refine((password) => !isCommonPassword(password), 'a password that is not among the most common ones')
    .optional(),
  LANGUAGE: z.enum(['en', 'ru'], { error: 'en or ru' }).default('en'),
  TZ: timeZone.optional(),
  RULES: z.enum(['as-specified', 'strict'], { error: 'as-specified or strict' }).default('as-specified'),
  SECOND_FACTOR: z.enum(['optional', 'staff', 'everyone'], { error: 'optional, staff or everyone' }).default('optional'),
  TRUST_PROXY: onOff.default(false),
  READY_TOKEN: z.string().min(16, 'at least 16 characters').optional(),
  SMTP_URL: webUrl(/^smtps?$/).optional(),
  SMTP_TLS: z.enum(['required', 'optional'], { error: 'required or optional' }).default('required'),
  MAIL_FROM: z
    .string()
    .regex(/^([^<>@]+ <[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/, 'an address such as cabinet@example.com')
    .optional(),
  TELEGRAM_BOT_TOKEN: z.string().min(1).optional(),
  TELEGRAM_API_URL: webUrl(/^https?$/).default('https://api.telegram.org'),
  WEBHOOK_HOSTS: z
    .string()
    .regex(/^[\w.:-]+(\s*,\s*[\w.:-]+)*$/, 'names of hosts with commas between them, such as erp.local,10.0.0.5')
    .transform((names) => names.toLowerCase().split(/\s*,\s*/))
    .default([]),
})

export type EnvironmentVariable = keyof typeof settings.shape

export type Config = ReturnType<typeof readConfig>

const names = Object.keys(settings.shape) as EnvironmentVariable[]

export class ConfigError extends Error {}

export function readConfig(environment: Record<string, string | undefined>) {
  const present = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''))
  const parsed = settings.safeParse(present)
  if (!parsed.success) throw new ConfigError(describeIssue(parsed.error.issues[0], present))
  const value = parsed.data
  if (value.ADMIN_EMAIL && !value.ADMIN_PASSWORD)
    throw new ConfigError('ADMIN_PASSWORD is not set: with ADMIN_EMAIL it takes a password of 8 to 256 characters')
  return {
    environment: names.map((name) => ({ name, value: describeValue(name, value[name]) })),
    host: value.HOST,
    port: value.PORT,
    baseUrl: value.BASE_URL,
    publicOrigin: value.PUBLIC_URL,
    dataDir: resolve(value.DATA_DIR),
    production: value.NODE_ENV === 'production',
    demo: value.DEMO,
    admin: value.ADMIN_EMAIL ? { email: value.ADMIN_EMAIL, password: value.ADMIN_PASSWORD as string } : undefined,
    language: value.LANGUAGE,
    timeZone: value.TZ,
    rules: value.RULES,
    secondFactor: value.SECOND_FACTOR,
    trustProxy: value.TRUST_PROXY,
    readyToken: value.READY_TOKEN,
    mail: value.SMTP_URL
      ? { url: value.SMTP_URL, from: value.MAIL_FROM ?? 'cabinet@localhost', requireTls: needsTls(value.SMTP_URL, value.SMTP_TLS) }
      : undefined,
    webhookHosts: new Set(value.WEBHOOK_HOSTS),
    telegram: value.TELEGRAM_BOT_TOKEN ? { token: value.TELEGRAM_BOT_TOKEN, url: value.TELEGRAM_API_URL } : undefined,
  }
}

export function configWarnings({ host, production, publicOrigin, mail }: Config): string[] {
  const warnings = []
  if (production && !isLoopback(host) && !publicOrigin?.startsWith('https:'))
    warnings.push(
      `HOST: ${JSON.stringify(host)} is reached by others over http, passwords and cookies readable on the way; let a proxy with TLS stand before it and say so in PUBLIC_URL`,
    )
  if (mail && !publicOrigin) warnings.push('PUBLIC_URL: not set, links in mails lead to the address where the service listens')
  return warnings
}

function needsTls(smtpUrl: string, setting: 'required' | 'optional'): boolean {
  const { protocol, hostname } = new URL(smtpUrl)
  return protocol === 'smtp:' && setting === 'required' && !isLoopback(hostname.replace(/^\[|\]$/g, ''))
}

/** Whether demo data and its accounts may be used: on a developer's machine, where nobody else reaches the service. */
export function allowsDemo({ demo, production, trustProxy, host }: Config): boolean {
  return demo && !production && !trustProxy && isLoopback(host)
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

const isSecret = (name: string) => /PASSWORD|TOKEN|SMTP_URL/.test(name)

function describeValue(name: string, value: string | number | boolean | string[] | undefined): string {
  if (name === 'TZ') return String(value ?? Intl.DateTimeFormat().resolvedOptions().timeZone)
  if (value === undefined) return ''
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  return isSecret(name) ? 'set' : String(value)
}

function describeIssue(issue: z.core.$ZodIssue | undefined, environment: Record<string, string | undefined>): string {
  const name = String(issue?.path[0])
  const quoted = isSecret(name) ? 'what is set' : JSON.stringify(environment[name])
  return `${name}: ${quoted} cannot be used, accepted is ${issue?.message}`
}
