import argon2 from 'argon2'
import { eq } from 'drizzle-orm'
import t from 'tap'
import { rateHits, sessions, signInFailures } from '../../src/database/schema/index.ts'
import { hashPassword } from '../../src/web/access/password-hashing.ts'
import { networkOf } from '../../src/web/access/rate-limit.ts'
import { openSession } from '../../src/web/access/session.ts'
import { startCabinet } from '../support/cabinet.ts'
import { emailOf, password } from '../support/cast.ts'

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

t.test('an account signs in successfully at most 20 times an hour (429)', async (t) => {
  const { newBrowser, db, cast } = await startCabinet(t)
  for (let count = 0; count < 20; count++)
    db.insert(rateHits)
      .values({ key: `sign-in of ${emailOf('denis')}`, at: Date.now() })
      .run()
  const answer = await newBrowser().post('/login', { email: emailOf('denis').toUpperCase(), password })
  t.equal(answer.statusCode, 429)
  t.ok(Number(answer.headers['retry-after']) > 3500)
  t.equal(db.select().from(sessions).where(eq(sessions.user_id, cast.denis)).all().length, 0)
  t.equal((await newBrowser().post('/login', { email: emailOf('maria'), password })).statusCode, 303)
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
  t.equal(networkOf('::ffff:198.51.100.1'), '198.51.100.1')
  t.equal(networkOf('198.51.100.1'), '198.51.100.1')
})

t.test('signing out tells the browser to clear its cache', async (t) => {
  const { as } = await startCabinet(t)
  t.match((await (await as('maria')).post('/logout')).headers['clear-site-data'], '"cache"')
})

t.test('a dealer places at most 60 orders an hour (429)', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  for (let count = 0; count < 60; count++)
    db.insert(rateHits)
      .values({ key: `order of ${cast.denis}`, at: Date.now() })
      .run()
  t.equal((await (await as('denis')).post('/orders/add', { comment: 'One more' })).statusCode, 429)
})
