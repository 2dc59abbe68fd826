import { resolve } from 'node:path'
import t from 'tap'
import { ConfigError, isLoopback, readConfig } from '../src/config.ts'

function refusedMessage(environment: Record<string, string>): string {
  try {
    readConfig(environment)
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
  return ''
}

t.test('every setting has its default', async (t) => {
  t.match(readConfig({}), {
    host: '127.0.0.1',
    port: 3000,
    baseUrl: '',
    publicOrigin: undefined,
    dataDir: resolve('data'),
    production: false,
    demo: true,
    admin: undefined,
    language: 'en',
    timeZone: undefined,
    rules: 'as-specified',
    trustProxy: false,
  })
})

t.test('an empty setting counts as not set', async (t) => {
  const names = [
    'HOST',
    'PORT',
    'BASE_URL',
    'PUBLIC_URL',
    'DATA_DIR',
    'NODE_ENV',
    'DEMO',
    'ADMIN_EMAIL',
    'ADMIN_PASSWORD',
    'LANGUAGE',
    'TZ',
    'RULES',
  ]
  const channels = [
    'TRUST_PROXY',
    'READY_TOKEN',
    'SMTP_URL',
    'SMTP_TLS',
    'MAIL_FROM',
    'TELEGRAM_BOT_TOKEN',
    'TELEGRAM_API_URL',
    'WEBHOOK_HOSTS',
  ]
  t.same(readConfig(Object.fromEntries([...names, ...channels].map((name) => [name, '']))), readConfig({}))
})

t.test('valid settings are accepted', async (t) => {
  t.match(readConfig({ HOST: '0.0.0.0', PORT: '8080' }), { host: '0.0.0.0', port: 8080 })
  t.match(readConfig({ PORT: '0' }), { port: 0 })
  t.match(readConfig({ PORT: '65535' }), { port: 65535 })
  t.match(readConfig({ BASE_URL: '/cabinet' }), { baseUrl: '/cabinet' })
  t.match(readConfig({ BASE_URL: '/cabinet/' }), { baseUrl: '/cabinet' })
  t.match(readConfig({ BASE_URL: '/a/b-c' }), { baseUrl: '/a/b-c' })
  t.match(readConfig({ PUBLIC_URL: 'https://cabinet.example.com' }), { publicOrigin: 'https://cabinet.example.com' })
  t.match(readConfig({ PUBLIC_URL: 'http://Cabinet.example.com:8080/' }), { publicOrigin: 'http://cabinet.example.com:8080' })
  t.match(readConfig({ DATA_DIR: '/srv/cabinet' }), { dataDir: '/srv/cabinet' })
  t.match(readConfig({ NODE_ENV: 'production' }), { production: true })
  t.match(readConfig({ NODE_ENV: 'test' }), { production: false })
  t.match(readConfig({ DEMO: 'off' }), { demo: false })
  t.match(readConfig({ DEMO: 'on' }), { demo: true })
  const admin = { email: 'chief@example.com', password: 'long enough' }
  t.match(readConfig({ ADMIN_EMAIL: admin.email, ADMIN_PASSWORD: admin.password }), { admin })
  t.match(readConfig({ LANGUAGE: 'ru' }), { language: 'ru' })
  t.match(readConfig({ TZ: 'Asia/Vladivostok' }), { timeZone: 'Asia/Vladivostok' })
  t.match(readConfig({ RULES: 'strict' }), { rules: 'strict' })
  t.match(readConfig({ TRUST_PROXY: 'on' }), { trustProxy: true })
  const channels = { SMTP_URL: 'smtps://user:secret@mail.example.com:465', MAIL_FROM: 'Cabinet <cabinet@example.com>' }
  t.same(readConfig({}).webhookHosts, new Set())
  t.same(readConfig({ WEBHOOK_HOSTS: 'ERP.local, 10.0.0.5,::1' }).webhookHosts, new Set(['erp.local', '10.0.0.5', '::1']))
  t.doesNotThrow(() => readConfig({ ...channels, TELEGRAM_BOT_TOKEN: '1:abc', TELEGRAM_API_URL: 'http://localhost:8081' }))
})

t.test('an invalid setting is one line with its name, its value and what is accepted', async (t) => {
  const bad: Record<string, { values: string[]; accepted: RegExp }> = {
    PORT: { values: ['abc', '-1', '65536', '3.5', '0x50', '1e3', ' ', '80 81'], accepted: /a port from 0 to 65535/ },
    BASE_URL: {
      values: ['cabinet', '//cabinet', 'https://example.com/', '/a b', '/a?b', '/a#b', '/a//b'],
      accepted: /a path such as \/cabinet/,
    },
    PUBLIC_URL: {
      values: ['cabinet.example.com', 'ftp://example.com', 'https://example.com/cabinet', 'https://a@example.com', 'https://example.com?a'],
      accepted: /an address without a path/,
    },
    DEMO: { values: ['no', 'OFF', 'true', '1'], accepted: /on or off/ },
    ADMIN_EMAIL: { values: ['chief', 'chief@', '@example.com', 'a b@example.com'], accepted: /an email address/ },
    LANGUAGE: { values: ['de', 'EN', 'ru-RU'], accepted: /en or ru/ },
    TZ: { values: ['Mars/Olympus', 'Moscow time'], accepted: /a time zone such as/ },
    RULES: { values: ['loose', 'STRICT'], accepted: /as-specified or strict/ },
    TRUST_PROXY: { values: ['yes', 'true', '1'], accepted: /on or off/ },
    SMTP_TLS: { values: ['off', 'yes'], accepted: /required or optional/ },
    WEBHOOK_HOSTS: { values: ['http://erp.local', 'erp.local/hook', 'a b'], accepted: /names of hosts/ },
    TELEGRAM_API_URL: { values: ['api.telegram.org', 'ftp://example.com'], accepted: /https?|an address/ },
  }
  for (const [name, { values, accepted }] of Object.entries(bad))
    for (const value of values) {
      const message = refusedMessage({ [name]: value })
      t.ok(message.startsWith(name), `${name}=${value} is refused by name: ${message}`)
      t.ok(message.includes(JSON.stringify(value)), `${name}=${value} is told: ${message}`)
      t.match(message, accepted, `${name}=${value} says what is accepted`)
      t.notMatch(message, '\n', `${name}=${value} is one line`)
    }
})

t.test('an invalid sender address is explained', async (t) => {
  for (const value of ['x', 'not an address'])
    t.match(refusedMessage({ MAIL_FROM: value }), /^MAIL_FROM: .*accepted is .*(address|email)/, value)
})

t.test('an invalid secret is not repeated in the message', async (t) => {
  const admin = { ADMIN_EMAIL: 'chief@example.com' }
  const cases: [string, Record<string, string>, string][] = [
    ['ADMIN_PASSWORD', { ...admin, ADMIN_PASSWORD: 'hunter2' }, 'hunter2'],
    ['ADMIN_PASSWORD', { ...admin, ADMIN_PASSWORD: 'h'.repeat(257) }, 'hhh'],
    ['READY_TOKEN', { READY_TOKEN: 'hunter2' }, 'hunter2'],
    ['SMTP_URL', { SMTP_URL: 'mail.example.com/hunter2' }, 'hunter2'],
    ['SMTP_URL', { SMTP_URL: 'http://user:hunter2@mail.example.com' }, 'hunter2'],
  ]
  for (const [name, environment, secret] of cases) {
    const message = refusedMessage(environment)
    t.match(message, new RegExp(`^${name}.*accepted is .+`), message)
    t.notOk(message.includes(secret), `${message} keeps the secret`)
  }
  t.match(refusedMessage({ ...admin, ADMIN_PASSWORD: 'hunter2' }), /8 to 256 characters/)
})

t.test('ADMIN_EMAIL without ADMIN_PASSWORD is refused', async (t) => {
  t.match(refusedMessage({ ADMIN_EMAIL: 'chief@example.com' }), /^ADMIN_PASSWORD.*8 to 256 characters/)
})

t.test('only loopback addresses count as this machine', async (t) => {
  for (const host of ['127.0.0.1', '127.1.2.3', 'localhost', '::1']) t.ok(isLoopback(host), host)
  for (const host of ['0.0.0.0', '::', '192.168.0.1', '127.example.com', 'example.com', '128.0.0.1']) t.notOk(isLoopback(host), host)
})
