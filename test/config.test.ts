import { readdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join, resolve } from 'node:path'
import Sqlite from 'better-sqlite3'
import t from 'tap'
import { ConfigError, isLoopback, readConfig } from '../src/config.ts'
import { users } from '../src/database/schema/index.ts'
import { prepareFirstStart } from '../src/first-start.ts'
import { startCabinet } from './support/cabinet.ts'
import { totalOf } from './support/html.ts'
import { runService, startService, temporaryFolder } from './support/service.ts'

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
  const channels = ['TRUST_PROXY', 'READY_TOKEN', 'SMTP_URL', 'SMTP_TLS', 'MAIL_FROM', 'TELEGRAM_BOT_TOKEN', 'TELEGRAM_API_URL']
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

t.test('an invalid setting stops the service with exactly one line', async (t) => {
  const file = join(temporaryFolder(t), 'file')
  writeFileSync(file, '')
  const cases: [string, Record<string, string>, RegExp][] = [
    ['a port that is none', { PORT: 'eighty' }, /^PORT.*"eighty".*a port from 0 to 65535/],
    ['an address of another machine', { PORT: '0', HOST: '192.0.2.1' }, /^HOST.*192\.0\.2\.1/],
    ['a data folder that is a file', { PORT: '0', DATA_DIR: file }, new RegExp(`^DATA_DIR.*${file}`)],
  ]
  for (const [name, environment, expected] of cases) {
    const { code, lines } = await runService({ DATA_DIR: temporaryFolder(t), ...environment })
    t.ok(code !== 0 && code !== null, `${name}: exits with a failure`)
    t.equal(lines.length, 1, `${name}: ${lines.slice(0, 4).join(' / ')}`)
    t.match(lines[0], expected, name)
  }
})

t.test('a port in use stops the service with one line that names it', async (t) => {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((listening) => server.once('listening', listening))
  t.teardown(() => server.close())
  const PORT = String((server.address() as { port: number }).port)
  const { code, lines } = await runService({ PORT, DATA_DIR: temporaryFolder(t), DEMO: 'off', NODE_ENV: 'production' })
  t.ok(code !== 0 && code !== null)
  t.equal(lines.filter((line) => !line.startsWith('{')).length, 1, lines.slice(0, 4).join(' / '))
  t.match(lines.at(-1), new RegExp(`^PORT.*${PORT}`))
})

const accounts = ['admin@example.com', 'manager@example.com', 'dealer@example.com', 'production@example.com']

t.test('the first start creates the configured administrator and no demo data', async (t) => {
  const DATA_DIR = temporaryFolder(t)
  const environment = { DATA_DIR, ADMIN_EMAIL: 'chief@example.com', ADMIN_PASSWORD: 'a long password' }
  const first = await startService(t, environment)
  t.notOk(
    first.printed().some((line) => line.includes('a long password')),
    'the password is not printed',
  )
  t.notOk(
    [...first.printed(), ...first.log()].some((line) => line.includes('/setup/')),
    'no set-up link',
  )
  t.equal((await first.post('/login', { email: accounts[0] as string, password: 'demo-password' })).status, 422)
  t.equal((await first.post('/login', { email: 'chief@example.com', password: 'a long password' })).status, 303)
  const list = await first.get('/dealers')
  t.equal(list.status, 200, 'is a superadministrator')
  t.match(list.body, 'data-total="0"', 'no sample data')
  t.notMatch(list.body, /demo data/i)
  t.equal(await first.stop(), 0, 'it ends cleanly when asked to')
  const stored = new Sqlite(join(DATA_DIR, 'cabinet.sqlite'), { readonly: true })
  t.match(stored.prepare('select password from users').pluck().get(), '$argon2id$v=19$m=65536,p=4,t=3$', 'at its full cost')
  stored.close()

  const again = await startService(t, { ...environment, ADMIN_PASSWORD: 'another password' })
  t.equal((await again.post('/login', { email: 'chief@example.com', password: 'another password' })).status, 422, 'only on the first start')
  t.equal((await again.post('/login', { email: 'chief@example.com', password: 'a long password' })).status, 303)
})

t.test('a first start in production without an administrator prints a set-up link that works once', async (t) => {
  const DATA_DIR = temporaryFolder(t)
  const service = await startService(t, { DATA_DIR, NODE_ENV: 'production', BASE_URL: '/cabinet' })
  t.match(service.address, /^http:\/\/127\.0\.0\.1:\d+\/cabinet$/)
  const told = service.printed().filter((line) => line.includes('/setup/'))
  t.equal(told.length, 1, 'printed once')
  t.notOk(
    service.log().some((line) => line.includes('/setup/')),
    'never logged',
  )
  const path = new URL(/http\S+/.exec(told[0] as string)?.[0] as string).pathname
  t.ok(path.startsWith('/cabinet/setup/'))
  t.equal((await service.get('/cabinet/healthz')).body, 'ok')

  const person = { lastname: 'First', name: 'Personal details', email: 'first@example.com' }
  t.equal((await service.get('/cabinet/setup/guess')).status, 404)
  t.equal((await service.post('/cabinet/setup/guess', { ...person, password: 'a long password' })).status, 404)
  t.equal((await service.get(path)).status, 200)
  t.equal((await service.post(path, { ...person, password: 'short' })).status, 422)
  const done = await service.post(path, { ...person, password: 'a long password' })
  t.equal(done.status, 303)
  t.equal(done.location, '/cabinet/')
  t.equal((await service.get('/cabinet/dealers')).status, 200, 'signed in as a superadministrator')
  t.equal((await service.get(path)).status, 404, 'one time only')
  t.equal((await service.post(path, { ...person, email: 'second@example.com', password: 'a long password' })).status, 404)
  await service.stop()

  const again = await startService(t, { DATA_DIR, NODE_ENV: 'production', BASE_URL: '/cabinet' })
  t.notOk(
    [...again.printed(), ...again.log()].some((line) => line.includes('/setup/')),
    'no link once somebody exists',
  )
  t.not((await again.get(path)).status, 200)
})

t.test('a first start on this machine loads the demo data and prints its accounts', async (t) => {
  const DATA_DIR = temporaryFolder(t)
  const service = await startService(t, { DATA_DIR })
  const printed = service.printed().join('\n')
  for (const account of accounts) t.ok(printed.includes(account), account)
  t.ok(printed.includes('demo-password'))
  t.match((await service.get('/login')).body, /demo data/i, 'every page says so')
  for (const email of accounts) t.equal((await service.post('/login', { email, password: 'demo-password' })).status, 303, email)
  t.equal((await service.post('/login', { demo: 'dealer@example.com' })).location, '/', 'a button signs in without a password')
  t.equal((await service.post('/login', { demo: 'nobody@example.com' })).status, 422)
  t.ok(readdirSync(join(DATA_DIR, 'files')).length > 20, 'pictures, portraits and documents are stored')
  await service.post('/login', { email: 'admin@example.com', password: 'demo-password' })
  const list = await service.get('/dealers')
  const total = totalOf(list, 'dealers') as number
  t.ok(total > 10)
  await service.post('/login', { email: 'manager@example.com', password: 'demo-password' })
  const own = totalOf(await service.get('/dealers'), 'dealers') as number
  t.ok(own > 0 && own < total, 'dealers belong to several managers')
  await service.stop()

  const again = await startService(t, { DATA_DIR })
  await again.post('/login', { email: 'admin@example.com', password: 'demo-password' })
  t.match((await again.get('/dealers')).body, `data-total="${total}"`, 'loaded once')
  t.match((await again.get('/dealers')).body, /demo data/i)
})

t.test('a service that others can reach never loads the demo data', async (t) => {
  const cases: Record<string, Record<string, string>> = {
    'switched off': { DEMO: 'off' },
    'behind a proxy': { TRUST_PROXY: 'on' },
    'reachable by others': { HOST: '0.0.0.0' },
  }
  for (const [name, environment] of Object.entries(cases)) {
    const { db } = await startCabinet(t, { empty: true })
    const { sample, setupToken, lines } = await prepareFirstStart(readConfig(environment), db)
    t.ok(setupToken, `${name}: a set-up link instead`)
    t.equal(sample, false, name)
    t.same(lines, [], `${name}: no account is printed`)
    t.equal(db.select().from(users).all().length, 0, `${name}: nobody is made`)
  }
})
