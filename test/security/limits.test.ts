import { request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import argon2 from 'argon2'
import { between, eq } from 'drizzle-orm'
import t from 'tap'
import type { Database } from '../../src/database/open.ts'
import { rateHits, sessions, signInFailures, uploads } from '../../src/database/schema/index.ts'
import { hashPassword } from '../../src/http/access/password-hashing.ts'
import { LimitReached, networkOf } from '../../src/http/access/rate-limit.ts'
import { openSession } from '../../src/http/access/session.ts'
import { htmx, startCabinet } from '../support/cabinet.ts'
import { emailOf, password } from '../support/cast.ts'
import { fieldOf, textOf, textsByRole } from '../support/html.ts'
import { at } from '../support/later.ts'

function addHits(db: Database, key: string, count: number): void {
  for (let hit = 0; hit < count; hit++) db.insert(rateHits).values({ key, at: Date.now() }).run()
}

/** Holds every hash back until it is released, so that no test depends on how fast the machine is. */
function holdHashes(t: { teardown: (end: () => void) => void }) {
  const { hash, verify } = argon2
  let open: () => void = () => undefined
  const gate = new Promise<void>((resolve) => {
    open = resolve
  })
  const state = { running: 0, most: 0 }
  const held = async <T>(result: T) => {
    state.running += 1
    state.most = Math.max(state.most, state.running)
    await gate
    state.running -= 1
    return result
  }
  const release = () => {
    open()
    Object.assign(argon2, { hash, verify })
  }
  Object.assign(argon2, { hash: () => held('a hash'), verify: () => held(false) })
  t.teardown(release)
  return { most: () => state.most, release }
}

t.test('one password is hashed at a time, and twenty wait', async (t) => {
  // The one that unknown accounts are compared with was begun with the program.
  await hashPassword('a password')
  const held = holdHashes(t)
  const results = Array.from({ length: 30 }, () => hashPassword('a password'))
  const refused = results.slice(21).map((result) => t.rejects(result, { code: 'PASSWORDS_BUSY' }))
  await Promise.all(refused)
  t.equal(held.most(), 1)
  held.release()
  await Promise.all(results.slice(0, 21))
  t.equal(held.most(), 1)
  await t.resolves(hashPassword('a password'), 'afterwards there is room again')
})

t.test('a full hashing queue answers 503 with Retry-After', async (t) => {
  const { newBrowser } = await startCabinet(t)
  await hashPassword('a password')
  const held = holdHashes(t)
  const hashing = Array.from({ length: 21 }, () => hashPassword('a password'))
  const answer = await newBrowser().post('/login', { email: emailOf('maria'), password })
  t.equal(answer.statusCode, 503)
  t.ok(Number(answer.headers['retry-after']) > 0)
  held.release()
  await Promise.all(hashing)
})

t.test('whoever has many passwords hashed waits for their own: nobody is refused because of them', async (t) => {
  const { as, newBrowser } = await startCabinet(t)
  await hashPassword('a password')
  const denis = await as('denis')
  const held = holdHashes(t)
  const many = Array.from({ length: 30 }, () => denis.post('/profile', { password: 'a new password' }))
  const signIn = newBrowser().post('/login', { email: emailOf('maria'), password })
  // They have arrived by then.
  for (let pages = 0; pages < 20; pages++) await newBrowser().get('/login')
  held.release()
  t.same([...new Set((await Promise.all(many)).map(({ statusCode }) => statusCode))], [422], 'the current password is missing')
  t.not((await signIn).statusCode, 503)
})

t.test('one address has at most ten sign-ins in progress; others are served meanwhile', async (t) => {
  const { app } = await startCabinet(t)
  await hashPassword('a password')
  const held = holdHashes(t)
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const attempt = (index: number, remoteAddress: string) =>
    app.inject({ method: 'POST', url: '/login', remoteAddress, headers: form, payload: `email=nobody${index}@example.com&password=x` })
  const flying = Array.from({ length: 11 }, (_, index) => attempt(index, '198.51.100.1'))
  const first = await Promise.race(flying)
  t.equal(first.statusCode, 429, 'the eleventh is answered before the first ten')
  const other = attempt(20, '198.51.100.2')
  held.release()
  const codes = (await Promise.all(flying)).map(({ statusCode }) => statusCode)
  t.equal(codes.filter((code) => code === 422).length, 10)
  t.equal((await other).statusCode, 422)
})

t.test('an account signs in successfully at most 300 times an hour (429)', async (t) => {
  const { newBrowser, db, cast } = await startCabinet(t)
  addHits(db, `sign-in of ${emailOf('denis')}`, 299)
  t.equal((await newBrowser().post('/login', { email: emailOf('denis'), password })).statusCode, 303, 'the 300th')
  const answer = await newBrowser().post('/login', { email: emailOf('denis').toUpperCase(), password })
  t.equal(answer.statusCode, 429)
  t.ok(Number(answer.headers['retry-after']) > 3500)
  t.equal(db.select().from(sessions).where(eq(sessions.user_id, cast.denis)).all().length, 1)
  t.match(textsByRole(answer, 'alert')[0], /Try again in 60 minutes \((\d\d\.\d\d\.\d{4} )?\d\d:\d\d\)\./)
  t.equal((await newBrowser().post('/login', { email: emailOf('maria'), password })).statusCode, 303)
})

t.test(
  'whoever has tried too often reads when there is room again, with a day only if it is not this one; no field is called wrong',
  async (t) => {
    const { newBrowser, db } = await startCabinet(t)
    const refusedAt = (hours: number, minutes: number) => {
      const moment = new Date(2026, 10, 29, hours, minutes).getTime()
      return at(moment, async () => {
        for (let hit = 0; hit < 10; hit++)
          db.insert(signInFailures)
            .values({ email: emailOf('denis'), address: '127.0.0.1', at: moment })
            .run()
        return newBrowser().post('/login', { email: emailOf('denis'), password: 'wrong' })
      })
    }
    const noon = await refusedAt(12, 0)
    t.equal(noon.statusCode, 429)
    t.match(textsByRole(noon, 'alert'), [/Try again in 15 minutes \(12:15\)\. Forgot your password\?/])
    t.notMatch(noon.body, 'aria-invalid')
    t.match(textsByRole(await refusedAt(23, 50), 'alert'), [/Try again in 15 minutes \(30\.11\.2026 00:05\)/])
    const wrong = await newBrowser().post('/login', { email: emailOf('maria'), password: 'wrong' })
    t.match([wrong.statusCode, wrong.body], [422, 'aria-invalid'])
  },
)

t.test('from one address there are at most 3,000 successful sign-ins an hour, whatever the account (429)', async (t) => {
  const { newBrowser, db } = await startCabinet(t)
  db.transaction(() => addHits(db, 'sign-in from 127.0.0.1', 2999))
  t.equal((await newBrowser().post('/login', { email: emailOf('denis'), password })).statusCode, 303, 'the 3,000th')
  const answer = await newBrowser().post('/login', { email: emailOf('maria'), password })
  t.equal(answer.statusCode, 429)
  t.ok(Number(answer.headers['retry-after']) > 3500)
})

t.test('a user has at most 20 sessions; the oldest is ended', async (t) => {
  const { app, db, cast } = await startCabinet(t)
  const request = { server: app, headers: {}, ip: '127.0.0.1', session: new Map() }
  for (let count = 0; count < 25; count++) openSession({ ...request, session: new Map() } as never, cast.denis)
  const ids = db
    .select()
    .from(sessions)
    .where(eq(sessions.user_id, cast.denis))
    .all()
    .map(({ id }) => id)
  t.equal(ids.length, 20)
  t.equal(Math.min(...ids), 6)
})

t.test('sessions that have expired do not count among the 20 of a user', async (t) => {
  const { app, db, cast } = await startCabinet(t)
  const open = (count: number) => {
    const request = () => ({ server: app, headers: { 'user-agent': 'Opera '.repeat(100) }, ip: '127.0.0.1', session: new Map() })
    for (let index = 0; index < count; index++) openSession(request() as never, cast.denis)
  }
  open(20)
  const [idle, old] = [Date.now() - 13 * 3600_000, Date.now() - 8 * 24 * 3600_000]
  db.update(sessions)
    .set({ seen_at: idle })
    .where(between(sessions.id, 11, 15))
    .run()
  db.update(sessions)
    .set({ created_at: old })
    .where(between(sessions.id, 16, 20))
    .run()
  open(10)
  t.equal(
    db
      .select()
      .from(sessions)
      .where(between(sessions.id, 1, 10))
      .all().length,
    10,
    'those opened first go on',
  )
  const agents = db.select({ agent: sessions.user_agent }).from(sessions).all()
  t.ok(
    agents.every(({ agent }) => agent.length === 255),
    'what browsers say of themselves is cut',
  )
})

t.test('guessing the current password on the profile is limited', async (t) => {
  const { newBrowser, db, cast } = await startCabinet(t)
  const browser = newBrowser()
  await browser.post('/login', { email: emailOf('denis'), password })
  const guess = () => browser.post('/profile', { current_password: 'a bad guess', password: 'a new password' })
  for (let count = 1; count < 10; count++) t.equal((await guess()).statusCode, 422, `guess ${count}`)
  const last = await guess()
  t.same([last.statusCode, last.headers.location], [303, '/login'])
  t.equal(db.select().from(sessions).where(eq(sessions.user_id, cast.denis)).all().length, 0, 'the session has ended')
  t.equal((await newBrowser().post('/login', { email: emailOf('denis'), password })).statusCode, 429, 'guesses count like sign-ins')
})

t.test('failed sign-ins by others do not lock out a browser that has signed in before', async (t) => {
  const { newBrowser, db } = await startCabinet(t)
  const own = newBrowser()
  await own.post('/login', { email: emailOf('root'), password })
  await own.post('/logout')
  for (let count = 0; count < 100; count++)
    db.insert(signInFailures)
      .values({ email: emailOf('root'), address: '127.0.0.1', at: Date.now() })
      .run()
  const signIn = (word = password, browser = own) => browser.post('/login', { email: emailOf('root'), password: word })
  t.equal((await signIn(password, newBrowser())).statusCode, 429)
  t.equal((await signIn()).statusCode, 303)
  await own.post('/logout')
  for (let count = 0; count < 10; count++) t.equal((await signIn('a bad guess')).statusCode, 422)
  t.equal((await signIn()).statusCode, 429, 'it has a limit of its own')
  t.equal((await own.post('/login', { email: emailOf('maria'), password })).statusCode, 429, 'and none for other accounts')
})

t.test('an IPv6 address is counted by its /64 network', async (t) => {
  t.equal(networkOf('2001:db8:1:2:3:4:5:6'), networkOf('2001:db8:1:2::9'))
  t.not(networkOf('2001:db8:1:2::9'), networkOf('2001:db8:1:3::9'))
  t.equal(networkOf('2001:db8::9:1:2:3'), networkOf('2001:db8:0:0:4:5:6:7'), 'zeros that are left out belong to the network')
  t.not(networkOf('2001:db8::9'), networkOf('2001:db8:9::'))
  t.equal(networkOf('::ffff:198.51.100.1'), '198.51.100.1')
  t.equal(networkOf('198.51.100.1'), '198.51.100.1')
})

t.test('whoever has to wait is told the first minute at whose beginning there is room again', async (t) => {
  const noon = new Date(2026, 2, 4, 12).getTime()
  const told = (now: number, wait: number) => at(now, () => new LimitReached(wait, 'Later').params.time)
  t.equal(await told(noon, 60), '12:01')
  t.equal(await told(noon, 61), '12:02')
  t.equal(await told(noon + 59_000, 2), '12:02')
})

t.test('signing out tells the browser to clear its cache', async (t) => {
  const { as } = await startCabinet(t)
  t.match((await (await as('maria')).post('/logout')).headers['clear-site-data'], '"cache"')
})

t.test('the 61st order of a dealer within an hour waits, and nothing typed is lost (429)', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  addHits(db, `order by ${cast.denis}`, 60)
  const denis = await as('denis')
  const order = {
    comment: 'One more',
    receiver: 'Somebody',
    'items[0][category_id]': cast.category,
    'items[0][name]': 'Door',
    'items[0][quantity]': 3,
    'items[0][price]': '10',
  }
  const answer = await denis.post('/orders/add', order)
  t.equal(answer.statusCode, 429)
  t.ok(Number(answer.headers['retry-after']) > 3500)
  t.match(textsByRole(answer, 'alert')[0], /up to 60 orders an hour\. Try again after (\d\d\.\d\d\.\d{4} )?\d\d:\d\d/)
  for (const [name, value] of Object.entries(order)) if (name !== 'comment') t.equal(fieldOf(answer, name)?.value, String(value), name)
  t.match(answer.body, 'One more')
  const fragment = await denis.post('/orders/add', order, htmx)
  t.equal(fragment.statusCode, 429)
  t.equal(fragment.headers['hx-retarget'], '#messages', 'htmx leaves the form as it is')
  t.ok(Number(fragment.headers['retry-after']) > 3500)
  db.delete(rateHits).run()
  t.equal((await denis.post('/orders/add', order)).statusCode, 303)
})

t.test('a person sends at most 60 messages an hour, also while context as somebody else; the text stays (429)', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const root = await as('root')
  const send = (text: string) => root.post(`/orders/${cast.order}/messages`, { text })
  addHits(db, `message of ${cast.root}`, 59)
  t.equal((await send('The last one')).statusCode, 303)
  const refused = await send('One too many')
  t.equal(refused.statusCode, 429)
  t.ok(Number(refused.headers['retry-after']) > 3500)
  t.match(refused.body, 'One too many')
  t.match(refused.body, 'up to 60 messages an hour')
  await root.post(`/impersonate/${cast.denis}`)
  t.equal((await send('As another')).statusCode, 429)
  t.equal((await (await as('denis')).post(`/orders/${cast.order}/messages`, { text: 'Others go on' })).statusCode, 303)
})

t.test('two exports are made for a person at a time, whatever their sessions and whomever they act as (429)', async (t) => {
  const { as, newBrowser, cast } = await startCabinet(t, { anew: true })
  const [root, again] = [await as('root'), newBrowser()]
  await again.post('/login', { email: emailOf('root'), password })
  await again.get(`/impersonate/${cast.admin}`)
  const paths = ['/dealers/export', '/orders/export', '/companies/export?format=csv', '/dealers/export?format=csv']
  const answers = await Promise.all(paths.map((path, at) => (at % 2 ? again : root).get(path)))
  t.same(answers.map(({ statusCode }) => statusCode).sort(), [200, 200, 429, 429])
  for (const answer of answers.filter(({ statusCode }) => statusCode === 429)) {
    t.ok(Number(answer.headers['retry-after']) > 0)
    t.match(textOf(answer.body), /2 spreadsheets are being made for you Try again after/)
  }
  t.equal((await root.get('/dealers/export')).statusCode, 200, 'afterwards there is room again')
})

t.test('bytes that are still arriving count toward the upload limit of a person', async (t) => {
  const { app, as, db, cast } = await startCabinet(t)
  const root = await as('root')
  const sent = { key: 'a'.repeat(64), name: 'much', type: '', size: 1024 ** 3 - 1000 }
  db.insert(uploads)
    .values({ ...sent, user_id: cast.root, at: Date.now() })
    .run()
  const head =
    '--x\r\nContent-Disposition: form-data; name="files[0][name]"\r\n\r\nA\r\n--x\r\nContent-Disposition: form-data; name="files[0][file]"; filename="a.txt"\r\n\r\n'
  const type = 'multipart/form-data; boundary=x'
  const path = `/company/edit/${cast.companies.alpha}`
  const send = (bytes: number) => root.send('POST', path, { 'content-type': type }, `${head}${'b'.repeat(bytes)}\r\n--x--\r\n`)
  const address = await app.listen({ host: '127.0.0.1', port: 0 })
  const cookie = [...root.cookies].map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('; ')
  const unfinished = request(address + path, { method: 'POST', headers: { 'content-type': type, cookie } })
  unfinished.on('error', () => undefined)
  unfinished.write(head + 'c'.repeat(600))
  let answer = await send(500)
  for (let tries = 0; answer.statusCode === 303 && tries < 100; tries++) {
    db.delete(uploads).where(eq(uploads.size, 500)).run()
    await pause(20)
    answer = await send(500)
  }
  t.equal(answer.statusCode, 429)
  t.ok(Number(answer.headers['retry-after']) > 80_000)
  t.match(answer.body, 'You can upload up to 1 GB of files per day')
  unfinished.destroy()
  for (let tries = 0; answer.statusCode === 429 && tries < 100; tries++) {
    await pause(20)
    answer = await send(500)
  }
  t.equal(answer.statusCode, 303, 'what broke off counts no more')
})

t.test('guesses of the current password that must wait keep what was typed on the profile', async (t) => {
  const { as, db } = await startCabinet(t)
  const denis = await as('denis')
  for (let count = 0; count < 10; count++)
    db.insert(signInFailures)
      .values({ email: emailOf('denis'), address: '127.0.0.1', at: Date.now() })
      .run()
  const answer = await denis.post('/profile', { lastname: 'Kept', current_password: password, password: 'a new good password' })
  t.equal(answer.statusCode, 429)
  t.ok(Number(answer.headers['retry-after']) > 0)
  t.equal(fieldOf(answer, 'lastname')?.value, 'Kept')
  const asked = await denis.post('/confirm-identity', { password, next: '/profile?tab=security' })
  t.equal(asked.statusCode, 429)
  t.match(asked.body, 'Try again in')
  t.equal(fieldOf(asked, 'next')?.value, '/profile?tab=security')
})

t.test('the history that somebody may fill within an hour is limited; what they typed is kept', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, db } = cabinet
  // As if every change were one of a very long text.
  db.$client.exec(`create temp trigger long_changes after insert on changes when new.label <> 'long' begin
    insert into changes (at, actor_name, action, entity, record_id, record_version, label, fields)
      values (0, '', 'update', 'news', 0, 1, 'long', printf('{"a":[null,"%.*c"]}', 60 * 1024 * 1024, 'a')); end`)
  t.teardown(() => void db.$client.exec('drop trigger temp.long_changes'))
  const [maria, denis] = [await as('maria'), await as('denis')]
  const first = Date.now() + 2 * 3600_000
  await at(first, async () => {
    for (const name of ['One', 'Two']) t.equal((await maria.post('/profile', { name })).statusCode, 303, 'what begins below it ends')
    const refused = await maria.post('/profile', { name: 'Three' })
    t.same([refused.statusCode, refused.headers['retry-after']], [429, '3600'])
    t.equal(fieldOf(refused, 'name')?.value, 'Three')
    t.equal((await denis.post('/profile', { name: 'Denis' })).statusCode, 303, 'others are not concerned')
  })
  await at(first + 3600_000, async () => t.equal((await maria.post('/profile', { name: 'Three' })).statusCode, 303))
})
