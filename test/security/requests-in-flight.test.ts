import { once } from 'node:events'
import { connect } from 'node:net'
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { eq } from 'drizzle-orm'
import t from 'tap'
import { allows, type Grant, group, type Rule } from '../../src/core/access.ts'
import { policyKeys } from '../../src/core/policies.ts'
import {
  apiTokens,
  deliveries,
  importRows,
  imports,
  notifications,
  orderDrafts,
  orderMessages,
  orders,
  passkeys,
  savedViews,
  sessions,
  uploads,
  users,
} from '../../src/database/schema/index.ts'
import { personFinder } from '../../src/http/access/person-reader.ts'
import type { Person } from '../../src/http/request/person.ts'
import type { RouteEntry } from '../../src/http/request/route-policy.ts'
import { tokenFor } from '../support/api.ts'
import { type Browser, type Cabinet, encode, startCabinet } from '../support/cabinet.ts'
import { emailOf, grant, password, revoke } from '../support/cast.ts'
import { formsOf, realPaths } from '../support/collect-forms.ts'
import { countWrites } from '../support/count-writes.ts'
import { insertJob } from '../support/jobs.ts'
import { insertPayment } from '../support/ledger.ts'
import { insertProduct } from '../support/products.ts'

const form = 'application/x-www-form-urlencoded'

interface Sender {
  /** The header that says who asks. */
  credentials: string
  type?: string
}

/** Sends a request but for its last byte; `finish` sends that too and returns the answer. */
async function withhold({ app }: Cabinet, port: number, path: string, { credentials, type = form }: Sender, body: string) {
  const socket = connect(port, '127.0.0.1')
  const arrived = once(app.server, 'request')
  const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\n${credentials}\r\nConnection: close\r\nContent-Type: ${type}\r\n`
  socket.write(`${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body.slice(0, -1)}`)
  await arrived
  for (let turn = 0; turn < 5; turn++) await nextTurn()
  return async () => {
    let answer = ''
    socket.on('data', (chunk) => (answer += chunk.toString('latin1')))
    socket.write(body.slice(-1))
    await once(socket, 'close', { signal: AbortSignal.timeout(10_000) })
    return { status: Number(answer.slice(9, 12)), location: /^location: (\S+)/im.exec(answer)?.[1], answer }
  }
}

async function listen(cabinet: Cabinet): Promise<number> {
  return Number(new URL(await cabinet.app.listen({ host: '127.0.0.1', port: 0 })).port)
}

async function cookieOf({ newBrowser }: Cabinet, email: string): Promise<string> {
  const browser = newBrowser()
  await browser.post('/login', { email, password })
  return cookieHeader(browser)
}

const cookieHeader = ({ cookies }: Browser) =>
  `Cookie: ${[...cookies].map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('; ')}`

/** Something of every kind that addresses speak of. */
async function plant(cabinet: Cabinet) {
  const { as, cast, db } = cabinet
  const root = await as('root')
  await root.post('/news/add', { name: 'News', published: 1 })
  await root.post('/companies/delete', { id: cast.companies.nobodys })
  await (await as('plain')).post('/rights/requests', { policy_key: 'company_can_view', note: 'Please' })
  db.insert(orders).values({ dealer_id: cast.denis, company_id: cast.companies.alpha }).run()
  const notification = { user_id: cast.admin, status_name: 'New', created_at: 1 }
  const { lastInsertRowid } = db.insert(notifications).values(notification).run()
  db.insert(deliveries)
    .values({ notification_id: Number(lastInsertRowid), channel: 'email', next_at: 1, state: 'failed' })
    .run()
  const author = { author_id: cast.admin, author_name: 'Adminov Anton', author_group: group.administrator }
  db.insert(orderMessages)
    .values({ order_id: 1, at: 1, text: 'Hello', ...author })
    .run()
  db.insert(savedViews).values({ user_id: cast.admin, list: 'orders', name: 'Mine', query: 'waiting=1', created_at: 1 }).run()
  const key = { credential_id: 'a', public_key: 'b', counter: 0, transports: [], user_handle: 'c', created_at: 1 }
  db.insert(passkeys)
    .values({ user_id: cast.admin, name: 'Phone', ...key })
    .run()
  insertProduct(db, { article: 'Panel 1' })
  const draft = { fields: [], created_at: 1, opened_at: Date.now() }
  db.insert(orderDrafts)
    .values({ user_id: cast.admin, ...draft })
    .run()
  const sheet = { list: 'companies', file_name: 'a.csv', headers: ['org'], row_count: 1 }
  db.insert(imports)
    .values({ user_id: cast.admin, ...sheet, fields: ['org'], key_field: 'org', created_at: Date.now() })
    .run()
  const statement = { list: 'payments', file_name: 'statement.txt', headers: ['amount'], row_count: 1 }
  db.insert(imports)
    .values({ user_id: cast.admin, ...statement, fields: ['amount'], key_field: '', created_at: Date.now() })
    .run()
  insertPayment(db, 1)
  tokenFor(cabinet, cast.admin, { id: 1 })
  db.insert(importRows)
    .values({ import_id: 1, rows: [{ row: 2, cells: ['Imported'] }] })
    .run()
}

/** An address of a route that serves this person. */
function permittedPath(cabinet: Cabinet, route: RouteEntry, personId: number): string | undefined {
  const { db } = cabinet
  const person = personFinder(db)(personId) as Person
  return realPaths(cabinet, route, person).find((path) => {
    if (!route.record || !Array.isArray(route.access)) return true
    const id = Number(path.split(/[/?]/)[route.url.split('/').indexOf(':id')] ?? path.match(/\d+/g)?.at(-1))
    return allows(route.access as Rule, person, route.record(db, id, person))
  })
}

/** Addresses that serve whoever comes, signed in or not. */
const isForSignedIn = ({ method, access }: RouteEntry) =>
  method === 'POST' &&
  access !== 'public' &&
  !(Array.isArray(access) && access.some((grants) => isForSuperadministrators(grants) || isForDealers(grants)))

const isApi = ({ url }: RouteEntry) => url.startsWith('/api/')

const signedOut = (route: RouteEntry) => (isApi(route) ? [401, undefined] : [303, '/login'])

/** The administrator who asks holds every policy and is neither a superadministrator nor a dealer. */
const isForSuperadministrators = (grants: readonly Grant[]) => grants.every(({ permission }) => permission === 'superadministrator')

const isForDealers = (grants: readonly Grant[]) =>
  grants.every(({ permission }) => typeof permission === 'object' && 'group' in permission && permission.group === group.dealer)

t.test('a request that withholds its last byte is decided by the rights at its end', async (t) => {
  const cabinet = await startCabinet(t)
  const { app, cast, db, as } = cabinet
  const port = await listen(cabinet)
  grant(db, cast.admin, ...policyKeys)
  await plant(cabinet)
  insertJob(db, cast.admin)
  const forms = await formsOf(cabinet, await as('admin'))
  const person = { credentials: await cookieOf(cabinet, emailOf('admin')) }
  const program = { credentials: `Authorization: Bearer ${tokenFor(cabinet, cast.admin)}`, type: 'application/json' }
  const file = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nabc\r\n--x--\r\n'
  // Refusals are logged, and nothing else is written.
  const writes = countWrites(db)
  const events = db.$client.prepare<[], number>('select count(*) from security_events').pluck()
  const written = () => writes() - (events.get() as number)

  /** What every address does when something happens between the first and the last byte. */
  async function askEverywhere(happens: () => void, routes: RouteEntry[]) {
    const wrong: string[] = []
    const answers: [RouteEntry, number, string | undefined][] = []
    for (const route of routes) {
      const path = paths.get(route) as string
      const form = `${new URLSearchParams(forms.get(path) ?? [['value', '1']])}&x=1`
      const asked =
        route.uploads && isApi(route) ? { ...program, type: 'multipart/form-data; boundary=x' } : isApi(route) ? program : person
      const body = asked === person ? form : asked === program ? '{}' : file
      db.$client.exec('begin immediate')
      try {
        const finish = await withhold(cabinet, port, path, asked, body)
        happens()
        const before = written()
        const { status, location } = await finish()
        if (written() !== before) wrong.push(`${route.method} ${path}: something was written (${status})`)
        answers.push([route, status, location])
      } finally {
        db.$client.exec('rollback')
      }
    }
    t.same(wrong, [])
    return answers
  }

  const forSignedIn = app.routeTable.filter(isForSignedIn)
  const paths = new Map(forSignedIn.map((route) => [route, permittedPath(cabinet, route, cast.admin)]))
  const routes = forSignedIn.filter((route) => paths.get(route))
  t.ok(routes.length > 40, `${routes.length} addresses`)
  t.same(
    forSignedIn.filter((route) => !paths.get(route)).map(({ url }) => url),
    [],
    'each has something that may be asked of it',
  )

  t.test('a form completed after its session ended, or its token was revoked, is refused', async (t) => {
    const end = () => {
      db.delete(sessions).where(eq(sessions.user_id, cast.admin)).run()
      db.update(apiTokens).set({ revoked_at: 1 }).where(eq(apiTokens.user_id, cast.admin)).run()
    }
    for (const [route, ...answer] of await askEverywhere(end, routes)) t.same(answer, signedOut(route), route.url)
  })

  t.test('a form completed after its account was deactivated is refused', async (t) => {
    const deactivate = () => void db.update(users).set({ active: false }).where(eq(users.id, cast.admin)).run()
    for (const [route, ...answer] of await askEverywhere(deactivate, routes)) t.same(answer, signedOut(route), route.url)
  })

  t.test('a form completed after its permissions were revoked is refused (403)', async (t) => {
    const byRight = ({ access }: RouteEntry) =>
      Array.isArray(access) &&
      access.some((grants) => grants.every(({ permission }: Grant) => typeof permission === 'object' && 'policy' in permission))
    const asked = routes.filter(byRight)
    t.ok(asked.length > 25, `${asked.length} addresses`)
    for (const [{ url }, status] of await askEverywhere(() => revoke(db, cast.admin, ...policyKeys), asked)) t.equal(status, 403, url)
  })

  t.test('a form completed after its impersonation ended is not carried out as the impersonator', async (t) => {
    const browser = cabinet.newBrowser()
    await browser.post('/login', { email: emailOf('root'), password })
    await browser.get(`/impersonate/${cast.maria}`)
    const credentials = cookieHeader(browser)
    const path = `/dealers/edit/${cast.denis}`
    const finish = await withhold(cabinet, port, path, { credentials }, encode({ phone: '+7(999) 111 22 33' }))
    await browser.post('/impersonate/leave')
    t.equal((await finish()).status, 409)
    t.equal(db.select().from(users).where(eq(users.id, cast.denis)).get()?.phone, null)
  })

  t.test('files of a form that is refused are not kept', async (t) => {
    const credentials = await cookieOf(cabinet, emailOf('maria'))
    const part = '--x\r\nContent-Disposition: form-data; name="files[0][file]"; filename="a.txt"\r\n\r\nabc\r\n--x--\r\n'
    const path = `/company/edit/${cast.companies.alpha}`
    const finish = await withhold(cabinet, port, path, { credentials, type: 'multipart/form-data; boundary=x' }, part)
    revoke(db, cast.maria, 'company_manager_can_edit')
    t.equal((await finish()).status, 403)
    t.same(db.select().from(uploads).all(), [])
  })
})

t.test('a form that does not arrive in time is cut off, with 408 where possible', async (t) => {
  const cabinet = await startCabinet(t)
  cabinet.app.timeouts.form = 200
  const port = await listen(cabinet)
  const credentials = await cookieOf(cabinet, emailOf('maria'))
  for (const [type, expected] of [
    [form, /^HTTP\/1\.1 408/],
    ['multipart/form-data; boundary=x', /^$/],
  ] as const)
    for (const path of ['/login', '/preferences']) {
      const socket = connect(port, '127.0.0.1')
      let answer = ''
      socket.on('data', (chunk) => (answer += chunk.toString('latin1')))
      socket.on('error', () => undefined)
      socket.write(`POST ${path} HTTP/1.1\r\nHost: localhost\r\n${credentials}\r\nContent-Type: ${type}\r\nContent-Length: 9\r\n\r\n--x`)
      await once(socket, 'close', { signal: AbortSignal.timeout(10_000) })
      t.match(answer, expected, `${path} as ${type}`)
    }
})

t.test('a form that was answered before it arrived completely causes no error when its time is over', async (t) => {
  const cabinet = await startCabinet(t)
  cabinet.app.timeouts.form = 50
  const port = await listen(cabinet)
  const credentials = await cookieOf(cabinet, emailOf('maria'))
  const failures: unknown[] = []
  const fail = (error: unknown) => void failures.push(error)
  process.on('uncaughtExceptionMonitor', fail)
  t.teardown(() => process.off('uncaughtExceptionMonitor', fail))
  for (const [path, type, length, status] of [
    ['/preferences', 'application/json', 9, 415],
    ['/preferences', form, 100_000_000, 413],
    ['/managers/delete', form, 9, 403],
    ['/nowhere', form, 9, 404],
    ['/preferences', '', 9, 415],
  ] as const) {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => undefined)
    const typed = type && `Content-Type: ${type}\r\n`
    socket.write(`POST ${path} HTTP/1.1\r\nHost: localhost\r\n${credentials}\r\n${typed}Content-Length: ${length}\r\n\r\nab`)
    const [answer] = await once(socket, 'data', { signal: AbortSignal.timeout(10_000) })
    t.match(String(answer), `HTTP/1.1 ${status}`, `${path} as ${type}`)
    // The connection stays open on the side of the client, and the rest never comes.
    await pause(200)
    socket.destroy()
  }
  t.same(failures, [])
  t.equal((await cabinet.newBrowser().get('/login')).statusCode, 200)
})
