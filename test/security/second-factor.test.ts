import { eq } from 'drizzle-orm'
import { Secret, TOTP } from 'otpauth'
import t from 'tap'
import { notifications, secondFactors, securityEvents, sessions, users } from '../../src/database/schema/index.ts'
import { type Browser, type Cabinet, startCabinet } from '../support/cabinet.ts'
import { emailOf, type Name, password } from '../support/cast.ts'
import { elementsOf, parseHtml, textOf } from '../support/html.ts'

/** What an app with this secret shows, some half minutes from now. */
const codeOf = (secret: string, later = 0) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + later * 30_000 })

const shownSecret = async (browser: Browser) =>
  parseHtml((await browser.get('/profile?tab=security')).body)('[data-secret]').attr('data-secret') as string

async function setUp(browser: Browser) {
  const secret = await shownSecret(browser)
  const answer = await browser.post('/profile/factor', { code: codeOf(secret) })
  const codes = elementsOf(answer.body, '[data-recovery-code]').map(textOf)
  return { secret, answer, codes }
}

const begin = async ({ newBrowser }: Cabinet, name: Name, next = '') => {
  const browser = newBrowser()
  const answer = await browser.post('/login', { email: emailOf(name), password, next })
  return { browser, location: answer.headers.location }
}

t.test('a user sets up a second factor and is then asked for its code after the password', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  const denis = await as('denis')
  const first = await denis.get('/profile?tab=security')
  t.match(first.body, 'data:image/svg+xml;base64,')
  t.equal((await denis.post('/profile/factor', { code: '000000' })).statusCode, 422)
  t.equal(db.select().from(secondFactors).all().length, 0, 'nothing takes effect before a code is confirmed')
  const { secret, answer, codes } = await setUp(denis)
  t.equal(answer.statusCode, 200)
  t.equal(codes.length, 10)
  t.notMatch((await denis.get('/profile?tab=security')).body, secret, 'neither is shown again')
  t.match((await denis.get('/notifications')).body, 'Your two-step verification was changed')
  t.ok(
    db
      .select()
      .from(notifications)
      .where(eq(notifications.user_id, cast.denis))
      .all()
      .some(({ event }) => event === 'factor-changed'),
  )

  const { browser, location } = await begin(cabinet, 'denis', '/orders')
  t.equal(location, '/login/factor')
  t.equal((await browser.get('/orders')).statusCode, 303, 'the password alone opens nothing')
  t.equal((await browser.get('/login/factor')).statusCode, 200)
  t.equal((await browser.post('/login/factor', { code: codeOf(secret) })).statusCode, 422, 'a code works once')
  const done = await browser.post('/login/factor', { code: codeOf(secret, 1) })
  t.equal(done.headers.location, '/orders')
  t.equal((await browser.get('/orders')).statusCode, 200)

  const again = (await begin(cabinet, 'denis')).browser
  t.equal(
    (await again.post('/login/factor', { code: codes[0]?.toLowerCase() as string })).statusCode,
    303,
    'a recovery code serves as well',
  )
  const third = (await begin(cabinet, 'denis')).browser
  t.equal((await third.post('/login/factor', { code: codes[0] as string })).statusCode, 422, 'once')
  for (let attempt = 0; attempt < 10; attempt++) await third.post('/login/factor', { code: '123456' })
  t.equal((await third.post('/login/factor', { code: codes[1] as string })).statusCode, 429)
  t.ok(db.select().from(securityEvents).where(eq(securityEvents.event, 'factor-used')).all().length === 2)
})

t.test('the code is never asked for without the password or after it was changed', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db, newBrowser } = cabinet
  const { secret } = await setUp(await as('maria'))
  t.equal((await newBrowser().post('/login/factor', { code: codeOf(secret, 1) })).headers.location, '/login')
  const { browser } = await begin(cabinet, 'maria')
  db.update(users).set({ password: 'another hash' }).where(eq(users.id, cast.maria)).run()
  t.equal((await browser.post('/login/factor', { code: codeOf(secret, 1) })).headers.location, '/login')
})

t.test('where a second factor is required, users without one must set it up first', async (t) => {
  const { as } = await startCabinet(t, { environment: { SECOND_FACTOR: 'staff' } })
  const maria = await as('maria')
  t.equal((await maria.get('/orders')).headers.location, '/profile?tab=security')
  t.equal((await maria.get('/orders', { 'hx-request': 'true' })).headers['hx-redirect'], '/profile?tab=security')
  t.equal((await maria.post('/profile', { name: 'Other' })).headers.location, '/profile?tab=security')
  t.equal((await setUp(maria)).answer.statusCode, 200)
  t.equal((await maria.get('/orders')).statusCode, 200)
  t.equal((await (await as('denis')).get('/orders')).statusCode, 200, 'dealers are no staff')
})

t.test('a user who must set up a second factor confirms their identity first when they signed in long ago', async (t) => {
  const { as, db, cast } = await startCabinet(t, { environment: { SECOND_FACTOR: 'everyone' } })
  const denis = await as('denis')
  const secret = await shownSecret(denis)
  db.update(sessions).set({ proved_at: 0 }).where(eq(sessions.user_id, cast.denis)).run()
  const asked = await denis.post('/profile/factor', { code: codeOf(secret) })
  const confirm = String(asked.headers.location)
  t.match(confirm, /^\/confirm-identity/)
  t.equal((await denis.get(confirm)).statusCode, 200)
  const next = new URLSearchParams(confirm.split('?')[1]).get('next') as string
  t.equal((await denis.post('/confirm-identity', { password, next })).headers.location, next)
  t.match((await denis.get(next)).body, 'data-recovery-code', 'what was typed goes on')
  t.equal((await denis.get('/orders')).statusCode, 200)
})

t.test('a form submitted after its session expired waits for the second factor too', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  const maria = await as('maria')
  const { secret } = await setUp(maria)
  db.update(sessions)
    .set({ seen_at: 0, created_at: Date.now() - 8 * 24 * 3600_000 })
    .where(eq(sessions.user_id, cast.maria))
    .run()
  const kept = await maria.post(`/dealers/edit/${cast.denis}`, { name: 'Kept' })
  const next = new URLSearchParams(String(kept.headers.location).split('?')[1]).get('next') as string
  t.match(next, /^\/resume\/\d+$/)
  t.equal((await maria.post('/login', { email: emailOf('maria'), password, next })).headers.location, '/login/factor')
  t.match((await maria.get(next)).headers.location, /^\/login/, 'the password alone sends nothing')
  const nameOf = () => db.select().from(users).where(eq(users.id, cast.denis)).get()?.name
  t.equal(nameOf(), 'Denis')
  t.equal((await maria.post('/login/factor', { code: codeOf(secret, 1) })).headers.location, next)
  await maria.get(next)
  t.equal(nameOf(), 'Kept')
})

t.test('only a superadministrator resets the second factor of another user', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  await setUp(await as('denis'))
  const path = `/dealers/edit/${cast.denis}/factor/reset`
  t.equal((await (await as('admin')).post(path)).statusCode, 403)
  const root = await as('root')
  t.match((await root.get(`/dealers/edit/${cast.denis}?tab=sessions`)).body, path)
  t.equal((await root.post(path)).statusCode, 303)
  t.equal(db.select().from(secondFactors).all().length, 0)
  t.equal((await begin(cabinet, 'denis')).location, '/')
})

t.test('administrators end the sessions of users whom they may edit', async (t) => {
  const { as, cast, db } = await startCabinet(t)
  const denis = await as('denis')
  const admin = await as('admin')
  t.match((await admin.get(`/dealers/edit/${cast.denis}?tab=sessions`)).body, 'sessions-')
  t.equal((await (await as('maria')).post(`/dealers/edit/${cast.denis}/sessions/end`, { all: '1' })).statusCode, 403)
  t.equal((await admin.post(`/dealers/edit/${cast.denis}/sessions/end`, { all: '1' })).statusCode, 303)
  t.equal(db.select().from(sessions).where(eq(sessions.user_id, cast.denis)).all().length, 0)
  t.match((await denis.get('/orders')).headers.location, /^\/login/)
})

t.test('while impersonating, nobody sets up or changes the second factor of the other', async (t) => {
  const { as, cast, db } = await startCabinet(t)
  const root = await as('root')
  const secret = await shownSecret(root)
  await root.get(`/impersonate/${cast.denis}`)
  t.equal((await root.post('/profile/factor', { code: codeOf(secret) })).statusCode, 403)
  t.equal((await root.post('/profile/factor/codes', { renew: 1 })).statusCode, 403)
  t.equal((await root.post('/profile/factor/remove', { remove: 1 })).statusCode, 403)
  t.equal(db.select().from(secondFactors).all().length, 0)
})
