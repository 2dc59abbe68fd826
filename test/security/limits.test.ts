import { eq } from 'drizzle-orm'
import t from 'tap'
import { rateHits, sessions, signInFailures } from '../../src/database/schema/index.ts'
import { hashPassword } from '../../src/web/access/password-hashing.ts'
import { networkOf } from '../../src/web/access/rate-limit.ts'
import { openSession } from '../../src/web/access/session.ts'
import { startCabinet } from '../support/cabinet.ts'
import { emailOf, password } from '../support/cast.ts'

t.setTimeout(120_000)

t.test('no more than two passwords are hashed at once, and twenty wait', async (t) => {
  const results = await Promise.allSettled(Array.from({ length: 30 }, () => hashPassword('a password')))
  // The one that unknown accounts are compared with may still be among them.
  const refused = results.filter(({ status }) => status === 'rejected').length
  t.ok(refused === 8 || refused === 9, `${refused} are refused`)
  await t.resolves(hashPassword('a password'), 'afterwards there is room again')
})

t.test('a full queue answers 503 with Retry-After', async (t) => {
  const { newBrowser } = await startCabinet(t)
  const hashing = Array.from({ length: 22 }, () => hashPassword('a password'))
  const answer = await newBrowser().post('/login', { email: emailOf('maria'), password })
  t.equal(answer.statusCode, 503)
  t.ok(Number(answer.headers['retry-after']) > 0)
  await Promise.all(hashing)
})

t.test('successful sign-ins are limited too: 20 an hour of an account', async (t) => {
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

t.test('a person has at most 20 live sessions; the oldest is ended', async (t) => {
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

t.test('the current password cannot be guessed on the profile', async (t) => {
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

t.test('strangers cannot lock out a browser that has signed in before', async (t) => {
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

t.test('an address of IPv6 counts by its /64', async (t) => {
  t.equal(networkOf('2001:db8:1:2:3:4:5:6'), networkOf('2001:db8:1:2::9'))
  t.not(networkOf('2001:db8:1:2::9'), networkOf('2001:db8:1:3::9'))
  t.equal(networkOf('::ffff:198.51.100.1'), '198.51.100.1')
  t.equal(networkOf('198.51.100.1'), '198.51.100.1')
})

t.test('signing out tells the browser to forget pages', async (t) => {
  const { as } = await startCabinet(t)
  t.match((await (await as('maria')).post('/logout')).headers['clear-site-data'], '"cache"')
})

t.test('a dealer places at most 60 orders an hour', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  for (let count = 0; count < 60; count++)
    db.insert(rateHits)
      .values({ key: `order of ${cast.denis}`, at: Date.now() })
      .run()
  t.equal((await (await as('denis')).post('/orders/add', { comment: 'One more' })).statusCode, 429)
})
