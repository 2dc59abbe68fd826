import { copyFileSync, cpSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { eq, inArray, like, ne } from 'drizzle-orm'
import t from 'tap'
import { buildApp } from '../../src/app.ts'
import { databaseName } from '../../src/backup/files.ts'
import { readConfig } from '../../src/config.ts'
import { openDatabase } from '../../src/database/open.ts'
import { news, uploads, users } from '../../src/database/schema/index.ts'
import { runChecks } from '../../src/doctor/checks.ts'
import { prepareFirstStart } from '../../src/first-start.ts'
import { hashPassword } from '../../src/http/access/password-hashing.ts'
import { encode, startCabinet } from '../support/cabinet.ts'
import { templateFile } from '../support/database-template.ts'
import { runService, temporaryFolder } from '../support/service.ts'

const accounts = ['admin@example.com', 'manager@example.com', 'dealer@example.com', 'production@example.com']

const elsewhere: Record<string, Record<string, string>> = {
  production: { NODE_ENV: 'production' },
  'behind a proxy': { TRUST_PROXY: 'on' },
  'reachable by others': { HOST: '0.0.0.0' },
  'demo switched off': { DEMO: 'off' },
}

/** A data folder after its first start, which is made once and copied. */
async function withSampleData(test: Parameters<typeof temporaryFolder>[0]) {
  first ??= firstStart()
  const dataDir = join(temporaryFolder(test), 'data')
  cpSync(await first, dataDir, { recursive: true })
  const db = openDatabase(join(dataDir, databaseName))
  test.teardown(() => db.$client.close())
  const start = (environment: Record<string, string> = {}) => prepareFirstStart(readConfig({ DATA_DIR: dataDir, ...environment }), db)
  const diagnose = async (environment: Record<string, string> = {}) =>
    (await runChecks({ DATA_DIR: dataDir, ...environment })).find(({ name }) => name === 'demo accounts')
  return { db, dataDir, start, diagnose }
}

let first: Promise<string> | undefined

async function firstStart(): Promise<string> {
  const dataDir = temporaryFolder(t)
  const file = join(dataDir, databaseName)
  copyFileSync(templateFile(), file)
  const db = openDatabase(file)
  t.equal((await prepareFirstStart(readConfig({ DATA_DIR: dataDir }), db)).sample, true)
  db.$client.close()
  return dataDir
}

t.test('where others may reach the service, it does not start with demo accounts that anybody can use', async (t) => {
  const { db, start, diagnose } = await withSampleData(t)
  for (const [name, environment] of Object.entries(elsewhere)) {
    await t.rejects(start(environment), /admin@example\.com and \d+ more.*delete.*passwords.*empty folder/, `${name}: says what to do`)
    t.match((await diagnose(environment))?.problem, /admin@example\.com and \d+ more/, `doctor, ${name}`)
  }
  t.equal((await start()).sample, true, 'on this machine it still does')
  t.notOk((await diagnose())?.problem)

  const own = await hashPassword('a password of their own')
  db.update(users).set({ password: own }).where(inArray(users.email, accounts)).run()
  await t.rejects(start(elsewhere.production), /"[^"]+" holds demo accounts/, 'the other demo people have the same password')
  db.update(users).set({ active: false }).where(ne(users.password, own)).run()
  t.equal((await start(elsewhere.production)).sample, false, 'it starts once nobody can use it')
  t.notOk((await diagnose(elsewhere.production))?.problem)

  const again = { active: true, password: await hashPassword('demo-password') }
  db.update(users).set(again).where(eq(users.email, 'production@example.com')).run()
  await t.rejects(start(elsewhere.production), /production@example\.com that|\(production@example\.com\)/, 'set again, it is refused again')
  db.delete(users).where(eq(users.email, 'production@example.com')).run()
  t.equal((await start(elsewhere.production)).sample, false)
})

t.test('a demo account is opened without a password only where the demo belongs', async (t) => {
  const { db, dataDir, start } = await withSampleData(t)
  db.update(users)
    .set({ password: await hashPassword('a password of their own') })
    .run()
  const environment = { DATA_DIR: dataDir, ...elsewhere['behind a proxy'] }
  const app = await buildApp({ config: readConfig(environment), db, ...(await start(environment)) })
  t.teardown(() => app.close())
  t.notMatch((await app.inject('/login')).body, /name="demo"|demo data/i)
  for (const demo of accounts) {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    t.equal((await app.inject({ method: 'POST', url: '/login', headers, payload: encode({ demo }) })).statusCode, 422, demo)
  }
})

t.test('the demo data of a first start is in the language of the installation, its documents too', async (t) => {
  const { app, db } = await startCabinet(t, { empty: true })
  await prepareFirstStart(readConfig({ DATA_DIR: app.config.dataDir, LANGUAGE: 'ru' }), db)
  const titles = db.select().from(news).all()
  const documents = db.select().from(uploads).where(like(uploads.name, '%.pdf')).all()
  t.ok(titles.length > 3 && documents.length > 3)
  const notRussian = [...titles, ...documents].filter(({ name }) => !/[а-яё]/i.test(name))
  t.same(
    notRussian.map(({ name }) => name),
    [],
  )
})

t.test('an installation that was tried out with demo data is refused in production with one line', async (t) => {
  const { dataDir: DATA_DIR, db } = await withSampleData(t)
  db.$client.close()
  const { code, lines } = await runService({ DATA_DIR, PORT: '0', NODE_ENV: 'production', TRUST_PROXY: 'on' })
  t.ok(code)
  t.equal(lines.length, 1, lines.slice(0, 3).join(' / '))
  t.match(lines[0], /^DATA_DIR: .*demo-password/)
  t.ok(readdirSync(DATA_DIR).includes('cabinet.sqlite'), 'nothing is removed')
})

t.test('the same emails without demo data are nobody else’s business', async (t) => {
  const { db, cast } = await startCabinet(t)
  const password = await hashPassword('demo-password')
  db.update(users).set({ email: 'admin@example.com', password }).where(eq(users.id, cast.root)).run()
  t.equal((await prepareFirstStart(readConfig({ NODE_ENV: 'production' }), db)).sample, false)
})
