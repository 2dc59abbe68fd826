import { once } from 'node:events'
import { openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import argon2 from 'argon2'
import Sqlite from 'better-sqlite3'
import { eq, sql } from 'drizzle-orm'
import Fastify from 'fastify'
import t from 'tap'
import { buildApp } from '../../src/app.ts'
import { sessions, users } from '../../src/database/schema/index.ts'
import { rotateKey } from '../../src/http/access/session-key.ts'
import { createLogDestination, logOptions } from '../../src/http/log.ts'
import { type Answer, type Cabinet, encode, htmx, startCabinet } from '../support/cabinet.ts'
import { emailOf, password } from '../support/cast.ts'
import { startMailServer } from '../support/channel-servers.ts'
import { textOf } from '../support/html.ts'
import { startService, temporaryFolder } from '../support/service.ts'
import { until } from '../support/until.ts'

const day = 24 * 3600_000

t.test('the service reports itself ready only while database and files can be used', async (t) => {
  const cabinet = await startCabinet(t)
  const { app, db, newBrowser } = cabinet
  const { dataDir } = app.config
  const ask = async () => {
    const { statusCode, body, headers } = await newBrowser().get('/readyz')
    t.equal(headers['cache-control'], 'no-store')
    t.match(headers['content-type'], 'text/plain')
    return `${statusCode} ${body}`
  }
  const before = db.all(sql`select * from seeded`)
  const patience = () => db.$client.pragma('busy_timeout', { simple: true })
  const usual = patience()
  t.equal(await ask(), '200 ready')
  t.same(db.all(sql`select * from seeded`), before, 'asking changes nothing')

  const other = new Sqlite(join(dataDir, 'cabinet.sqlite'))
  other.exec('begin immediate')
  t.equal(await ask(), '503 not ready', 'while somebody else holds the database')
  t.equal((await newBrowser().get('/healthz')).body, 'ok', 'which a restart would not help')
  other.exec('rollback')
  other.close()
  t.equal(await ask(), '200 ready')
  t.equal(patience(), usual, 'writes wait as before')

  db.$client.pragma('query_only = ON')
  t.equal(await ask(), '503 not ready', 'while the database takes no writes')
  db.$client.pragma('query_only = OFF')

  rmSync(join(dataDir, 'files'), { recursive: true, force: true })
  writeFileSync(join(dataDir, 'files'), 'in the way')
  t.equal(await ask(), '503 not ready', 'while no file can be stored')
  rmSync(join(dataDir, 'files'))

  const [last] = db.all<{ at: number }>(sql`select max(created_at) as at from __drizzle_migrations`)
  db.run(sql`update __drizzle_migrations set created_at = created_at - 1 where created_at = ${last?.at}`)
  t.equal(await ask(), '503 not ready', 'with a database of another version')
  db.run(sql`update __drizzle_migrations set created_at = ${last?.at} where created_at = ${Number(last?.at) - 1}`)
  t.equal(await ask(), '200 ready')
})

t.test('a service that is shutting down is not ready and finishes running requests', async (t) => {
  const { app } = await startCabinet(t)
  const socket = connect(Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port), '127.0.0.1')
  const body = encode({ email: emailOf('maria'), password })
  const head = (first: string, more = '') => `${first} HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`
  socket.write(head('GET /readyz'))
  t.match(String((await once(socket, 'data'))[0]), 'HTTP/1.1 200')
  socket.write(head('POST /login', `Content-Type: application/x-www-form-urlencoded\r\nContent-Length: ${body.length}\r\n`))
  socket.write(body.slice(0, 5))
  await new Promise((resolve) => app.server.once('request', resolve))
  const closed = app.close()
  socket.write(body.slice(5))
  t.match(String((await once(socket, 'data'))[0]), 'HTTP/1.1 303', 'what had begun')
  socket.write(head('GET /readyz'))
  const answers = await Promise.race([once(socket, 'data'), once(socket, 'close')])
  t.notMatch(String(answers[0]), 'HTTP/1.1 200', 'nothing new')
  socket.destroy()
  await closed
})

t.test('the log', async (t) => {
  const log: string[] = []
  const office = await startMailServer(t)
  const cabinet = await startCabinet(t, { log, environment: { SMTP_URL: office.url } })
  const { as, app, cast, db, newBrowser } = cabinet
  const lines = () => log.map((line) => JSON.parse(line))

  t.test('the log has a line for each request, with the id that the response names', async (t) => {
    const admin = await as('admin')
    const answers: [string, string, Answer][] = [
      ['GET', '/dealers', await admin.get('/dealers?q=secret-search')],
      ['GET', '/dealers', await admin.get('/dealers', htmx)],
      ['POST', '/dealers/edit/:id', await admin.post(`/dealers/edit/${cast.denis}`, { phone: '+7 900 765-43-21 secret-phone' })],
      ['GET', '/dealers/edit/:id', await admin.get('/dealers/edit/987654')],
    ]
    for (const [method, route, answer] of answers) {
      const id = String(answer.headers['x-request-id'])
      t.match(id, /^[\w-]{36}$/)
      const found = lines().filter(({ reqId }) => reqId === id)
      t.match(found, [{ level: 30, method, route, status: answer.statusCode, ms: Number }], `${method} ${route}`)
      t.equal(found.length, 1)
    }
    const count = log.length
    for (const path of ['/healthz', '/readyz']) t.equal((await newBrowser().get(path)).statusCode, 200)
    t.equal(log.length, count, 'but for what is asked all day')
    const made = await newBrowser().get('/login', { 'x-request-id': 'made-up', 'request-id': 'made-up' })
    t.not(made.headers['x-request-id'], 'made-up', 'nobody chooses their own')
  })

  t.test('a server error is logged with the id shown on the error page', async (t) => {
    app.db.$client.exec('alter table companies rename to companies_gone')
    const answer = await (await as('root')).get('/companies?q=secret-search', { referer: 'http://localhost/secret' })
    app.db.$client.exec('alter table companies_gone rename to companies')
    t.equal(answer.statusCode, 500)
    const id = String(answer.headers['x-request-id'])
    t.match(textOf(answer.body), id, 'and so does the page')
    t.notMatch(answer.body, /SqliteError|node_modules|\.ts:/)
    const error = lines().find(({ reqId, level }) => reqId === id && level === 50)
    t.match(error, { err: { type: 'SqliteError', message: /no such table/, stack: /companies/ } })
  })

  t.test('the log contains no secrets and no personal data', async (t) => {
    const browser = newBrowser()
    const secret = 'a-secret-password'
    await browser.post('/login', { email: 'secret-nobody@example.com', password: secret })
    await browser.post('/login', { email: emailOf('maria'), password: secret })
    await browser.post(
      '/login',
      { email: emailOf('maria'), password },
      { 'user-agent': 'secret-browser', 'x-forwarded-for': '203.0.113.9' },
    )
    await browser.post('/profile', { phone: '+7 900 765-43-21 secret-phone', password: 'short', current_password: secret })
    await browser.get('/dealers?q=secret-search')
    db.update(sessions).set({ seen_at: 0 }).where(eq(sessions.user_id, cast.maria)).run()
    await browser.post('/profile', { lastname: 'secret-name' })
    office.replies = { RCPT: `550 <${emailOf('denis')}> unknown here` }
    await browser.post('/password/forgot', { email: emailOf('denis') })
    await browser.get('/password/reset/secret-token')
    await browser.send('POST', '/company/edit/1', { 'content-type': 'multipart/form-data; boundary=x' }, '--x\r\nsecret-part')
    await browser.send('POST', '/login', { 'content-type': 'application/json' }, '{"secret-json": 1')
    await (await as('admin')).send(
      'POST',
      `/company/edit/${cast.companies.alpha}`,
      { 'content-type': 'multipart/form-data; boundary=x' },
      '--x\r\nsecret-part',
    )
    const isTold = () => lines().some(({ failure }) => failure?.responseCode === 550)
    await until(isTold)
    t.ok(isTold(), 'a mail that was not taken is told')
    const people = db.select().from(users).all()
    const telling = people.flatMap(({ email, lastname, password }) => [email, lastname, password])
    const cookies = [...browser.cookies.values()].map((value) => value.slice(0, 30))
    const whole = log.join('')
    for (const word of [...telling, ...cookies, 'secret-', secret, password, '203.0.113', '127.0.0.1'])
      if (whole.includes(word)) t.fail(`${word}: ${log.find((line) => line.includes(word))}`)
    t.ok(log.length > 15)
  })
})

t.test('routine log lines are written in batches, errors at once and in order', async (t) => {
  const path = join(temporaryFolder(t), 'log')
  const { log } = Fastify(logOptions(createLogDestination(openSync(path, 'a'))))
  const written = () => [...readFileSync(path, 'utf8').matchAll(/"msg":"(\w+)"/g)].map(([, message]) => message)
  log.info('one')
  log.info('two')
  t.same(written(), [])
  log.warn('three')
  t.same(written(), ['one', 'two', 'three'])
  log.info('four')
  for (const end = Date.now() + 10_000; written().length < 4 && Date.now() < end; ) await pause(10)
  t.same(written(), ['one', 'two', 'three', 'four'], 'routine lines wait a moment only')
})

t.test('a service that stops has written its whole log', async (t) => {
  const service = await startService(t, { DATA_DIR: temporaryFolder(t), DEMO: 'off' })
  await service.get('/login')
  await service.stop()
  t.match(service.log().at(-1), /"route":"\/login"/)
})

t.test('Strict-Transport-Security is sent only behind HTTPS', async (t) => {
  const header = async (environment: Record<string, string>, headers: Record<string, string>) => {
    const { newBrowser } = await startCabinet(t, { environment })
    return (await newBrowser().get('/login', headers)).headers['strict-transport-security']
  }
  const https = { 'x-forwarded-proto': 'https' }
  t.match(await header({ TRUST_PROXY: 'on' }, https), /^max-age=31536000$/)
  t.equal(await header({ TRUST_PROXY: 'on' }, { 'x-forwarded-proto': 'http' }), undefined)
  t.equal(await header({ TRUST_PROXY: 'on' }, {}), undefined)
  t.equal(await header({}, https), undefined, 'a header that nobody vouches for says nothing')
})

t.test('slow clients are cut off and block nobody', async (t) => {
  lookForSlowClientsOften(t)
  const { app, db } = await startCabinet(t)
  Object.assign(app.server, { headersTimeout: 3_000, requestTimeout: 3_000, timeout: 5_000 })
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const cases: [string, string, string][] = [
    ['in the head', 'GET / HTTP/1.1\r\nHost: localhost\r\n', 'X-Slow: 1\r\n'],
    [
      'in the body',
      `POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 100000\r\n\r\n`,
      'a',
    ],
    ['without a word', '', ''],
  ]
  const before = db.all(sql`select * from sign_in_failures`)
  const dribbling = cases.map(async ([name, start, drop]) => {
    const socket = connect(port, '127.0.0.1')
    t.teardown(() => socket.destroy())
    let answer = ''
    socket.on('error', () => {}).on('data', (chunk) => (answer += chunk))
    socket.write(start)
    const timer = setInterval(() => drop && socket.writable && socket.write(drop), 50)
    await new Promise((closed) => socket.once('close', closed))
    clearInterval(timer)
    t.match(answer, /^(HTTP\/1\.1 408|$)/, `${name}: cut off`)
  })
  t.equal((await fetch(`${origin}/healthz`)).status, 200, 'others are served meanwhile')
  await Promise.all(dribbling)
  t.same(db.all(sql`select * from sign_in_failures`), before)
  const made = (await startCabinet(t)).app
  const { headersTimeout, requestTimeout, timeout } = made.server
  const promised = { headersTimeout: 20_000, requestTimeout: 600_000, timeout: 60_000, form: 60_000 }
  t.same({ headersTimeout, requestTimeout, timeout, form: made.timeouts.form }, promised, 'as the service is made')
})

/** Node looks for them every half a minute. */
function lookForSlowClientsOften({ teardown }: Pick<typeof t, 'teardown'>): void {
  const { createServer } = http
  http.createServer = ((options: object, listener) =>
    createServer({ ...options, connectionsCheckingInterval: 200 }, listener)) as typeof createServer
  teardown(() => (http.createServer = createServer))
}

t.test('hashing a password does not block the event loop', async (t) => {
  const { db, newBrowser } = await startCabinet(t)
  const hash = await argon2.hash(password, { memoryCost: 65536, timeCost: 3 })
  db.update(users)
    .set({ password: hash })
    .where(eq(users.email, emailOf('maria')))
    .run()
  let turns = 0
  let waiting = true
  const turn = () => {
    turns += 1
    if (waiting) setImmediate(turn)
  }
  turn()
  await Promise.all([1, 2, 3].map(() => newBrowser().post('/login', { email: emailOf('maria'), password })))
  waiting = false
  t.ok(turns > 100, `${turns} turns meanwhile`)
})

t.test('the session key', async (t) => {
  const keyOf = (dataDir: string) => join(dataDir, 'session.key')
  const stored = (dataDir: string) => JSON.parse(readFileSync(keyOf(dataDir), 'utf8')) as { since: number; key: string }[]
  const age = (dataDir: string, days: number) => {
    const older = stored(dataDir).map((key) => ({ ...key, since: key.since && key.since - days * day }))
    writeFileSync(keyOf(dataDir), JSON.stringify(older))
  }
  const signedIn = async () => {
    const cabinet = await startCabinet(t)
    const { dataDir } = cabinet.app.config
    return { ...cabinet, dataDir, cookie: cookieOf(await cabinet.newBrowser().post('/login', { email: emailOf('maria'), password })) }
  }
  /** Starts the service on the same data once more, and asks with a cookie. */
  const restarted = async ({ app, db }: Cabinet, cookie: string) => {
    const again = await buildApp({ config: app.config, db })
    const answer = await again.inject({ url: '/profile', headers: { cookie } })
    await again.close()
    return answer
  }

  t.test('the session key is created on the first start and readable by its owner only', async (t) => {
    const { dataDir } = await signedIn()
    t.equal(statSync(keyOf(dataDir)).mode & 0o777, 0o600)
    t.equal(stored(dataDir).length, 1)
    t.equal(Buffer.from(stored(dataDir)[0]?.key ?? '', 'base64').length, 32)
  })

  t.test('rotating the session key signs nobody out', async (t) => {
    const cabinet = await signedIn()
    const { dataDir, cookie } = cabinet
    const [old] = stored(dataDir)
    age(dataDir, 100)
    rotateKey(dataDir)
    t.equal(statSync(keyOf(dataDir)).mode & 0o777, 0o600)
    age(dataDir, 100)
    const answer = await restarted(cabinet, cookie)
    t.equal(answer.statusCode, 200, 'however long it lay there unused')
    const renewed = cookieOf(answer)
    t.ok(renewed, 'and gets a cookie of the new key')
    t.equal(stored(dataDir)[1]?.key, old?.key)
    age(dataDir, 8)
    t.equal((await restarted(cabinet, cookie)).statusCode, 303, 'the old key goes once its sessions have run out')
    t.equal((await restarted(cabinet, renewed)).statusCode, 200)
    t.equal(stored(dataDir).length, 1)
  })

  t.test('a session key of an earlier version is still accepted', async (t) => {
    const cabinet = await signedIn()
    const { dataDir, cookie } = cabinet
    writeFileSync(keyOf(dataDir), Buffer.from(stored(dataDir)[0]?.key ?? '', 'base64'))
    t.equal((await restarted(cabinet, cookie)).statusCode, 200)
    rotateKey(dataDir)
    t.equal((await restarted(cabinet, cookie)).statusCode, 200)
  })

  t.test('a session cookie of another installation is refused', async (t) => {
    const { cookie } = await signedIn()
    const other = await signedIn()
    t.equal((await restarted(other, cookie)).statusCode, 303)
  })
})

const cookieOf = ({ cookies }: Pick<Answer, 'cookies'>) =>
  cookies.map(({ name, value }) => `${name}=${encodeURIComponent(value)}`).join('; ')
