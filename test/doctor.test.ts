import fs, { chmodSync, statfsSync, truncateSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { sql } from 'drizzle-orm'
import t from 'tap'
import { companies } from '../src/database/schema/index.ts'
import { runChecks } from '../src/doctor/checks.ts'
import { version, versionText } from '../src/version.ts'
import { startCabinet } from './support/cabinet.ts'
import { startMailServer } from './support/channel-servers.ts'
import { runCommand, runService } from './support/service.ts'
import { storeUpload } from './support/uploads.ts'

type CheckResult = Awaited<ReturnType<typeof runChecks>>[number]

t.test('doctor finds no problem in a healthy installation', async (t) => {
  const mail = await startMailServer(t)
  const { app } = await startCabinet(t)
  const results = await checksOf(app.config.dataDir, { SMTP_URL: mail.url, PUBLIC_URL: 'https://cabinet.example.com' })
  t.same(problemsIn(results), {})
  t.same(
    results.map(({ name }) => name),
    ['settings', 'data folder', 'disk space', 'database', 'schema', 'search indexes', 'ledger', 'demo accounts', 'clock', 'mail'],
  )
  t.same(mail.letters, [], 'nothing was sent')
})

t.test('doctor tells what it found: stored files, the time by the clock of the service, who mail comes from, demo accounts', async (t) => {
  const mail = await startMailServer(t)
  const { app, db, cast } = await startCabinet(t)
  const { dataDir } = app.config
  for (const text of ['one', 'two'])
    await storeUpload({ db, dataDir }, Readable.from([Buffer.from(text)]), { name: 'a', userId: cast.root })
  const detailsOf = async (environment: Record<string, string>) =>
    Object.fromEntries((await checksOf(dataDir, environment)).map(({ name, detail }) => [name, detail]))
  const [timeZone, asked] = ['Pacific/Kiritimati', Date.now()]
  const found = await detailsOf({ SMTP_URL: mail.url, MAIL_FROM: 'cabinet@example.com', TZ: timeZone })
  const told = Date.parse(`${found.clock?.slice(0, 19).replace(' ', 'T')}+14:00`)
  t.equal(found.database, 'intact, with 2 stored files')
  t.equal(found.mail, 'the server accepts email from cabinet@example.com')
  t.equal(found['demo accounts'], 'allowed, as only this machine reaches the service')
  t.ok(told >= Math.floor(asked / 1000) * 1000 && told <= Date.now(), found.clock ?? 'no time')
  t.ok(found.clock?.endsWith(` ${timeZone}`))
  const open = await detailsOf({ HOST: '0.0.0.0', PUBLIC_URL: 'https://cabinet.example.com' })
  t.equal(open['demo accounts'], 'nobody can sign in with the demo password')
  t.match(open.mail, 'not configured', 'which is no problem')
})

t.test('doctor lets the clock run a minute behind the last change, and no more', async (t) => {
  const { app, as, db } = await startCabinet(t)
  const problemAt = async (seconds: number) => {
    db.run(sql`update changes set at = ${Date.now() + seconds * 1000} where id = (select max(id) from changes)`)
    return problemsIn(await checksOf(app.config.dataDir, {})).clock
  }
  await (await as('root')).post('/settings', { name: 'Somebody' })
  t.equal(await problemAt(30), undefined)
  t.match(await problemAt(90), /before the last change/)
})

t.test('doctor names each problem of an installation and what to do about it', async (t) => {
  const { app, db } = await startCabinet(t)
  const { dataDir } = app.config
  db.insert(companies).values({ org: 'Lost' }).run()
  db.run(sql`delete from company_texts where rowid = (select max(rowid) from company_texts)`)
  db.run(sql`insert into company_balances (company_id, balance) values (1, 5)`)
  db.run(sql`insert into ledger_tallies values (1, '2026-01', 5, 0, 0), (1, '2026-02', -5, 0, 0)`)
  const trigger = db.$client.prepare("select name from sqlite_master where type = 'trigger'").pluck().get()
  db.$client.exec(`drop trigger ${trigger}`)
  db.run(sql`update changes set at = ${Date.now() + 3_600_000} where id = (select max(id) from changes)`)
  chmodSync(dataDir, 0o755)
  const found = problemsIn(await checksOf(dataDir, { SMTP_URL: 'smtp://127.0.0.1:9' }))
  t.match(found['data folder'], /chmod 700/)
  t.match(found.schema, `${trigger} differ from the program's: restart the service`)
  t.match(found['search indexes'], /^1 records are missing.*npm run reindex/)
  t.match(found.ledger, /2 balances differ.*npm run reindex/)
  t.match(found.clock, /set the clock/)
  t.match(found.mail, /^the server rejects email \(.*127\.0\.0\.1:9\): check SMTP_URL/)
  t.match(found.settings, /PUBLIC_URL/)
})

t.test('doctor refuses a data folder that anybody but its owner may read, write or enter', async (t) => {
  const { app } = await startCabinet(t)
  const { dataDir } = app.config
  for (const mode of [0o740, 0o720, 0o710, 0o704, 0o702, 0o701, 0o770, 0o777]) {
    chmodSync(dataDir, mode)
    t.match(problemsIn(await checksOf(dataDir, {}))['data folder'], `chmod 700 ${dataDir}`, mode.toString(8))
  }
  chmodSync(dataDir, 0o700)
  t.equal(problemsIn(await checksOf(dataDir, {}))['data folder'], undefined)
})

t.test('doctor wants room for a second and a third database, as a migration takes it', async (t) => {
  const folder = t.testdir()
  const file = join(folder, 'cabinet.sqlite')
  writeFileSync(file, '')
  const { bavail, bsize } = statfsSync(folder)
  // Mostly a hole, which takes no room.
  truncateSync(file, Math.floor(bavail * bsize * 0.75))
  t.match(problemsIn(await checksOf(folder, {}))['disk space'], /are needed for a migration: free disk space/)
})

t.test('doctor wants a gigabyte of what this user may fill, or twice the database where that is more', async (t) => {
  const folder = t.testdir()
  const { statfsSync: asked } = fs
  t.teardown(() => withFreeSpace(asked))
  const problemWith = async (gigabytes: number, database = 0) => {
    const free = gigabytes * 1024 ** 3
    withFreeSpace((() => ({ ...asked(folder), bsize: 1024, bavail: free / 1024, bfree: 1e12 })) as unknown as typeof asked)
    const file = join(folder, 'cabinet.sqlite')
    writeFileSync(file, '')
    truncateSync(file, Math.round(database * 1024 ** 3))
    const results = await checksOf(folder, {})
    withFreeSpace(asked)
    const { problem, detail } = results.find(({ name }) => name === 'disk space') as CheckResult
    return problem ?? detail
  }
  t.equal(await problemWith(1), '1.0 GB free')
  t.match(await problemWith(0.9), '0.9 GB free, 1.0 GB are needed for a migration: free disk space')
  t.equal(await problemWith(1, 0.5), '1.0 GB free')
  t.match(await problemWith(1, 0.6), '1.0 GB free, 1.2 GB are needed for a migration: free disk space')
  t.equal(await problemWith(1.5, 0.75), '1.5 GB free')
})

t.test('doctor asks for a restart where a newer version has not migrated yet, and for nothing else', async (t) => {
  const { app, db } = await startCabinet(t)
  db.$client.exec(`alter table seeded rename to planted;
    delete from __drizzle_migrations where created_at = (select max(created_at) from __drizzle_migrations)`)
  const found = problemsIn(await checksOf(app.config.dataDir, { HOST: '0.0.0.0', PUBLIC_URL: 'https://cabinet.example.com' }))
  t.same(Object.keys(found), ['schema'])
  t.match(found.schema, /migrations are missing: restart the service/)
})

t.test('doctor stops at invalid settings and at a missing data folder', async (t) => {
  t.match(problemsIn(await runChecks({ PORT: 'many' })), { settings: /^PORT/ })
  const missing = problemsIn(await checksOf(join(t.testdir(), 'nothing'), {}))
  t.match(missing, { 'data folder': /DATA_DIR/, database: /no database/ })
  t.equal(missing['disk space'], undefined, 'where it would be there is room')
})

t.test('commands answer --help and --version without touching data', async (t) => {
  t.same((await runService({}, '--version')).lines, [versionText])
  t.match((await runService({}, '--help')).lines.join('\n'), /npm run doctor[\s\S]*npm run backup/)
  t.match(await runCommand('restore', ['--help']), { code: 0, text: /^Usage: npm run restore/ })
  t.match(await runCommand('backup'), { code: 1, text: /^Usage: npm run backup/ })
})

t.test('/healthz shows the version to this machine and to nobody else', async (t) => {
  const { app } = await startCabinet(t)
  const ask = (remoteAddress: string, accept: string) => app.inject({ url: '/healthz', remoteAddress, headers: { accept } })
  t.same((await ask('127.0.0.1', 'application/json')).json(), { status: 'ok', ...version })
  t.same((await ask('203.0.113.9', 'application/json')).json(), { status: 'ok' })
  t.equal((await ask('203.0.113.9', '*/*')).body, 'ok')
})

/** What the file system tells of itself from now on. */
function withFreeSpace(asked: typeof fs.statfsSync): void {
  fs.statfsSync = asked
  syncBuiltinESMExports()
}

function checksOf(dataDir: string, environment: Record<string, string>): Promise<CheckResult[]> {
  return runChecks({ DATA_DIR: dataDir, ...environment })
}

function problemsIn(results: CheckResult[]): Record<string, string> {
  return Object.fromEntries(results.flatMap(({ name, problem }) => (problem ? [[name, problem]] : [])))
}
