import { readdirSync, statSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import t from 'tap'
import { sessions } from '../src/database/schema/index.ts'
import { shutDown } from '../src/shutdown.ts'
import { type Answer, type Browser, type Cabinet, htmx, startCabinet } from './support/cabinet.ts'
import { emailOf, password } from './support/cast.ts'
import { dumpDatabase, integrityErrors } from './support/dump.ts'
import { fieldOf, isDocument, textsByRole } from './support/html.ts'
import { transitionBetween } from './support/orders.ts'
import { startService, temporaryFolder } from './support/service.ts'

const file = (content: string) => `--x\r
Content-Disposition: form-data; name="files[0][name]"\r
\r
Contract\r
--x\r
Content-Disposition: form-data; name="files[0][file]"; filename="a.txt"\r
\r
${content}\r
--x--\r
`

/** A write of every kind, by somebody who may. */
function writesOf({ cast }: Cabinet): Record<string, (root: Browser, token: string) => Promise<Answer>> {
  const multipart = { 'content-type': 'multipart/form-data; boundary=x' }
  return {
    'a new record': (root, token) => root.post('/company/add', { org: `New ${token}` }),
    'a saved card': (root, token) => root.post(`/company/edit/${cast.companies.alpha}`, { org: `Alpha ${token}`, inn: token }),
    'a saved profile': (root, token) => root.post('/profile', { name: `Olga ${token}` }),
    'a switch': (root, token) => root.post(`/dealers/${cast.denis}/active`, { value: Number(token) % 2 }),
    'a right': (root, token) => root.post(`/managers/edit/${cast.plain}/rights/news_can_add`, { value: Number(token) % 2 }),
    'a deletion': (root) => root.post('/companies/delete', { id: cast.companies.nobodys }),
    'an upload': (root, token) => root.send('POST', `/company/edit/${cast.companies.beta}`, multipart, file(token)),
  }
}

const pages = (cast: Cabinet['cast']) => ['/', '/companies', `/company/edit/${cast.companies.alpha}`, '/news', `/admins/edit/${cast.admin}`]

t.test('the database is locked by another process', async (t) => {
  const cabinet = await startCabinet(t)
  const { app, db, cast, as, newBrowser } = cabinet
  t.equal(db.$client.pragma('busy_timeout', { simple: true }), 1000, 'nobody is held up for long')
  db.$client.pragma('busy_timeout = 20')
  const root = await as('root')
  const other = new Sqlite(join(app.config.dataDir, 'cabinet.sqlite'))
  t.teardown(() => other.close())
  db.update(sessions)
    .set({ seen_at: Date.now() - 3600_000 })
    .run()
  const before = dumpDatabase(db.$client)
  other.exec('begin immediate')

  for (const [name, send] of Object.entries(writesOf(cabinet)))
    t.test(`${name}: 503 with a message while the database is locked`, async (t) => {
      const answer = await send(root, '1')
      t.equal(answer.statusCode, 503)
      t.match(answer.headers['retry-after'], /^\d+$/)
      t.ok(isDocument(answer))
      t.equal(textsByRole(answer, 'alert').join().match(/busy/g)?.length, 1, 'said once')
    })
  t.test('signing in is 503 while the database is locked', async (t) => {
    t.equal((await newBrowser().post('/login', { email: emailOf('maria'), password })).statusCode, 503)
  })
  t.test('htmx gets a message and keeps the page while the database is locked', async (t) => {
    const answer = await root.post(`/dealers/${cast.denis}/active`, { value: 0 }, htmx)
    t.equal(answer.statusCode, 503)
    t.equal(answer.headers['hx-retarget'], '#messages')
  })
  t.test('typed values stay in the form while the database is locked', async (t) => {
    const answer = await root.post(`/company/edit/${cast.companies.alpha}`, { org: 'Typed', inn: '77', version: 1 })
    t.equal(fieldOf(answer, 'org')?.value, 'Typed')
    t.equal(fieldOf(answer, 'version')?.value, '1')
    t.equal(fieldOf(await root.post('/company/add', { org: 'Typed too' }), 'org')?.value, 'Typed too')
    const { id: step } = transitionBetween(cabinet, 'new', 'canceled')
    for (const path of [`/orders/${cast.order}/transition`, `/orders/edit/${cast.order}/transition`]) {
      const moved = await root.post(path, { transition_id: step, note: 'Typed for a step' })
      t.equal(moved.statusCode, 503)
      t.equal(fieldOf(moved, 'note')?.value, 'Typed for a step', path)
      t.match(textsByRole(moved, 'alert').join(), /busy/)
      const inDialog = await root.post(path, { transition_id: step }, htmx)
      t.match([inDialog.statusCode, inDialog.headers['hx-retarget']], [503, '#messages'], 'a dialog stays as it is')
    }
    const said = await root.post(`/orders/${cast.order}/messages`, { text: 'Typed as well' })
    t.equal(said.statusCode, 503)
    t.equal(fieldOf(said, 'text')?.value, 'Typed as well')
    t.match(textsByRole(said, 'alert').join(), /busy/)
  })
  t.test('pages can be read while the database is locked', async (t) => {
    for (const path of pages(cast)) t.equal((await root.get(path)).statusCode, 200, path)
  })
  t.test('nothing was saved while the database was locked, and everything is saved afterwards', async (t) => {
    other.exec('rollback')
    t.same(dumpDatabase(db.$client), before)
    t.same(readdirSync(join(app.config.dataDir, 'files/incoming')), [])
    for (const [name, send] of Object.entries(writesOf(cabinet))) t.equal((await send(root, '0')).statusCode, 303, name)
    t.same(integrityErrors(db.$client), [])
  })
})

t.test('the database is full', async (t) => {
  const cabinet = await startCabinet(t)
  const { app, db, cast, as } = cabinet
  const root = await as('root')
  const writes = Object.entries(writesOf(cabinet))
  const leftOut = ['sessions', 'uploads', 'sqlite_sequence']
  const limit = (pages: number) => db.$client.pragma(`max_page_count = ${pages}`)
  limit(db.$client.pragma('page_count', { simple: true }) as number)

  for (const [name, send] of writes.filter(([name]) => name !== 'a deletion'))
    t.test(`${name}: saved while there is room, then 507`, async (t) => {
      let saved = 0
      let answer = await send(root, '0')
      for (; answer.statusCode === 303 && saved < 2000; answer = await send(root, String(saved))) saved += 1
      t.equal(answer.statusCode, 507)
      t.match(textsByRole(answer, 'alert').join(), /out of storage/)
      // A file that has arrived waits for a record to name it, a day at most.
      const before = dumpDatabase(db.$client, ...leftOut)
      t.equal((await send(root, String(saved))).statusCode, 507)
      t.same(dumpDatabase(db.$client, ...leftOut), before, 'nothing of it was saved')
    })
  t.test('typed values stay in the form when the database is full', async (t) => {
    const answer = await root.post(`/company/edit/${cast.companies.alpha}`, { org: 'x'.repeat(255), inn: '77' })
    t.equal(answer.statusCode, 507)
    t.equal(fieldOf(answer, 'inn')?.value, '77')
  })
  t.test('pages can be read when the database is full', async (t) => {
    for (const path of pages(cast)) t.equal((await root.get(path)).statusCode, 200, path)
  })
  t.test('everything is saved again once there is room', async (t) => {
    limit(1_000_000)
    t.same(integrityErrors(db.$client), [])
    for (const [name, send] of writes) t.equal((await send(root, '1')).statusCode, 303, name)
    t.same(integrityErrors(db.$client), [])
    t.same(readdirSync(join(app.config.dataDir, 'files/incoming')), [])
  })
})

t.test('a service that is told to stop finishes requests that have begun', async (t) => {
  const environment = { DATA_DIR: temporaryFolder(t), ADMIN_EMAIL: 'root@example.com', ADMIN_PASSWORD: password }
  const service = await startService(t, environment)
  await service.post('/login', { email: 'root@example.com', password })
  await service.post('/company/add', { org: 'Alpha' })
  const content = 'x'.repeat(200_000)
  const upload = slowPost(`${service.address}/company/edit/1`, service.cookie(), Buffer.from(file(content)))
  await upload.begun
  const stopped = service.stop()
  await refusal(service.address)
  t.ok(true, 'nobody new is let in')
  upload.go()
  t.equal(await upload.status, 303, 'the upload that was on its way is finished')
  t.equal(await stopped, 0, 'and the service ends well')
  const db = new Sqlite(join(environment.DATA_DIR, 'cabinet.sqlite'))
  const [row] = db.prepare('select json_extract(files, ?) key from companies').pluck().all('$[0].file') as [string]
  db.close()
  t.ok(readdirSync(join(environment.DATA_DIR, 'files', row.slice(0, 2))).includes(row))
  for (const name of readdirSync(environment.DATA_DIR))
    t.equal(statSync(join(environment.DATA_DIR, name)).mode & 0o077, 0, `${name} is its owner's only`)
})

t.test('an upload that takes too long is cut off at shutdown', async (t) => {
  const { app, as } = await startCabinet(t)
  const maria = await as('maria')
  const address = await app.listen({ host: '127.0.0.1', port: 0 })
  const cookie = [...maria.cookies].map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('; ')
  const upload = slowPost(`${address}/company/edit/1`, cookie, Buffer.from(file('never ends')))
  await upload.begun
  const [status] = await Promise.all([upload.status, shutDown(app, 50)])
  t.equal(status, 'cut off')
})

/** A multipart body of which the last byte waits. */
function slowPost(address: string, cookie: string, body: Buffer) {
  const headers = { cookie, 'content-type': 'multipart/form-data; boundary=x', 'content-length': body.length }
  const post = request(address, { method: 'POST', headers })
  const status = new Promise<number | string | undefined>((resolve) => {
    post.once('response', (answer) => resolve(answer.resume().statusCode))
    post.once('error', () => resolve('cut off'))
  })
  const begun = new Promise<void>((resolve) => post.write(body.subarray(0, -1), () => setTimeout(resolve, 200)))
  return { begun, status, go: () => post.end(body.subarray(-1)) }
}

/** Waits until nobody answers there any more. */
async function refusal(address: string): Promise<void> {
  for (;;) {
    try {
      await fetch(`${address}/healthz`, { headers: { connection: 'close' } })
      await pause(10)
    } catch {
      return
    }
  }
}
