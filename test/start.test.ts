import { chmodSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import t from 'tap'
import { readConfig } from '../src/config.ts'
import { closeDataFolder } from '../src/data-folder.ts'
import { openDatabase } from '../src/database/open.ts'
import { users } from '../src/database/schema/index.ts'
import { prepareFirstStart } from '../src/first-start.ts'
import { startCabinet } from './support/cabinet.ts'
import { parseHtml, textOf, totalOf } from './support/html.ts'
import { runService, startService, temporaryFolder } from './support/service.ts'

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
  chmodSync(DATA_DIR, 0o750)
  const first = await startService(t, environment)
  t.equal(statSync(DATA_DIR).mode & 0o777, 0o700, 'a data folder that other users could enter is closed')
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
  const home = parseHtml((await first.get('/')).body)
  t.equal(home('h1').text().trim(), 'Dashboard', 'settings name no person')
  t.match(parseHtml((await first.get('/activity')).body)('tbody').text(), /First start[\s\S]*Administrator/)
  t.equal(await first.stop(), 0, 'it ends cleanly when asked to')
  const warnings = first.log().filter((line) => JSON.parse(line).level === 40 && line.includes('DATA_DIR'))
  t.match(warnings, [/other users could enter.*now only its owner can/])
  t.equal(warnings.length, 1)
  const stored = new Sqlite(join(DATA_DIR, 'cabinet.sqlite'), { readonly: true })
  t.match(stored.prepare('select password from users').pluck().get(), '$argon2id$v=19$m=19456,p=1,t=2$', 'at its full cost')
  stored.close()

  const db = reopen(t, DATA_DIR)
  const before = db.select().from(users).all()
  const later = await prepareFirstStart(readConfig({ ...environment, ADMIN_PASSWORD: 'another password' }), db)
  t.same([later.lines, db.select().from(users).all()], [[], before], 'only on the first start')
})

/** What an earlier start has left. */
function reopen(test: Pick<typeof t, 'teardown'>, folder: string) {
  const db = openDatabase(join(folder, 'cabinet.sqlite'))
  test.teardown(() => db.$client.close())
  return db
}

t.test('in Russian the configured administrator, the first start and the greeting are Russian, until somebody has a name', async (t) => {
  const environment = { LANGUAGE: 'ru', ADMIN_EMAIL: 'chief@example.com', ADMIN_PASSWORD: 'a long password' }
  const { app, db, newBrowser } = await startCabinet(t, { empty: true, environment })
  await prepareFirstStart(app.config, db)
  const service = newBrowser()
  await service.post('/login', { email: 'chief@example.com', password: 'a long password' })
  const heading = async () =>
    parseHtml((await service.get('/')).body)('h1')
      .text()
      .trim()
  t.equal(await heading(), 'Главная')
  const [activity, card] = [await service.get('/activity'), await service.get('/admins/edit/1')]
  t.match(parseHtml(activity.body)('tbody').text(), /Первый запуск[\s\S]*Администратор/)
  for (const { body } of [activity, card]) t.notMatch(body, /First|Administrator</)
  t.match(card.body, 'Первый запуск', 'who changed the card last')
  const profile = { lastname: 'Емельянов', name: '' }
  t.equal((await service.post('/profile', profile)).statusCode, 422, 'the profile asks for a name')
  t.equal((await service.post('/profile', { ...profile, name: 'Олег' })).statusCode, 303)
  t.match(await heading(), /, Олег$/)
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
  const guessed = await service.get('/cabinet/setup/guess')
  t.equal(guessed.status, 404)
  t.match(textOf(guessed.body), /This setup link is wrong or already used Copy it from what the server has printed/)
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

  const later = await prepareFirstStart(readConfig({ NODE_ENV: 'production' }), reopen(t, DATA_DIR))
  t.same([later.setupToken, later.lines], [undefined, []], 'no link once somebody exists')
})

t.test('a first start on this machine loads the demo data and prints its accounts', async (t) => {
  const DATA_DIR = temporaryFolder(t)
  const service = await startService(t, { DATA_DIR })
  const printed = service.printed().join('\n')
  for (const account of accounts) t.ok(printed.includes(account), account)
  t.ok(printed.includes('demo-password'))
  t.match((await service.get('/login')).body, /demo data/i, 'every page says so')
  const offered = parseHtml((await service.get('/login?next=/orders')).body)('.sample-accounts')
  t.equal(offered.find('[name=next]').attr('value'), '/orders', 'the buttons lead on to where somebody was going')
  const roles = offered
    .find('button')
    .text()
    .trim()
    .split(/\s{2,}/)
  t.same(roles, ['Superadministrator', 'Manager', 'Dealer', 'Production user'], 'each button says as whom')
  for (const email of accounts) t.equal((await service.post('/login', { email, password: 'demo-password' })).status, 303, email)
  t.equal((await service.post('/login', { demo: 'dealer@example.com' })).location, '/', 'a button signs in without a password')
  t.equal((await service.post('/login', { demo: 'nobody@example.com' })).status, 422)
  t.ok(readdirSync(join(DATA_DIR, 'files')).length > 10, 'pictures, portraits and documents are stored')
  await service.post('/login', { email: 'admin@example.com', password: 'demo-password' })
  const list = await service.get('/dealers')
  const total = totalOf(list, 'dealers') as number
  t.ok(total > 10)
  await service.post('/login', { email: 'manager@example.com', password: 'demo-password' })
  const own = totalOf(await service.get('/dealers'), 'dealers') as number
  t.ok(own > 0 && own < total, 'dealers belong to several managers')
  await service.stop()

  const db = reopen(t, DATA_DIR)
  const before = db.select().from(users).all().length
  const later = await prepareFirstStart(readConfig({ DATA_DIR }), db)
  t.same([later.sample, later.isNewSample ?? false, db.select().from(users).all().length], [true, false, before], 'loaded once')
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

t.test('a data folder that other users could enter is closed', async (t) => {
  const DATA_DIR = temporaryFolder(t)
  writeFileSync(join(DATA_DIR, 'cabinet.sqlite'), '')
  chmodSync(DATA_DIR, 0o705)
  t.match(closeDataFolder(DATA_DIR), /other users could enter.*now only its owner can/)
  t.equal(statSync(DATA_DIR).mode & 0o777, 0o700)
  t.equal(closeDataFolder(DATA_DIR), undefined, 'what is closed already is not worth a word')
})

t.test('a folder that holds other things than a cabinet stays open to others, and the log says what to do', async (t) => {
  const DATA_DIR = temporaryFolder(t)
  writeFileSync(join(DATA_DIR, "somebody else's"), '')
  chmodSync(DATA_DIR, 0o755)
  t.match(closeDataFolder(DATA_DIR), /and still can: chmod 700/)
  t.equal(statSync(DATA_DIR).mode & 0o777, 0o755)
})
