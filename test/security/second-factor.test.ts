import { and, eq } from 'drizzle-orm'
import { Secret, TOTP } from 'otpauth'
import QRCode from 'qrcode'
import t from 'tap'
import { notifications, secondFactors, securityEvents, sessions, users } from '../../src/database/schema/index.ts'
import { formatDateTime } from '../../src/i18n/format.ts'
import { type Browser, type Cabinet, startCabinet } from '../support/cabinet.ts'
import { emailOf, type Name, password } from '../support/cast.ts'
import { elementById, elementsOf, fieldOf, parseHtml, rowsOf, textOf, textsByRole } from '../support/html.ts'
import { at, later } from '../support/later.ts'

/** What an app with this secret shows, some half minutes from now. */
const codeOf = (secret: string, later = 0) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + later * 30_000 })

const shownSecret = async (browser: Browser) =>
  parseHtml((await browser.get('/profile?tab=security')).body)('[data-secret]').attr('data-secret') as string

async function setUp(browser: Browser) {
  const secret = await shownSecret(browser)
  const code = codeOf(secret)
  const answer = await browser.post('/profile/factor', { code })
  const codes = elementsOf(answer.body, '[data-recovery-code]').map(textOf)
  return { secret, code, answer, codes }
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
  const wrong = await denis.post('/profile/factor', { code: '000000' })
  t.equal(wrong.statusCode, 422)
  t.match(fieldOf(wrong, 'code'), { invalid: true, describedBy: ['factor-error'] })
  t.equal(textOf(elementById(wrong, 'factor-error') ?? ''), 'Wrong code. Enter the code your app shows now.')
  t.equal(db.select().from(secondFactors).all().length, 0, 'nothing takes effect before a code is confirmed')
  const { secret, code, answer, codes } = await setUp(denis)
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
  t.equal((await browser.post('/login/factor', { code })).statusCode, 422, 'a code works once')
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

t.test("codes of one user, from the app or for recovery, open nobody else's account", async (t) => {
  const cabinet = await startCabinet(t)
  const [hers, his] = [await setUp(await cabinet.as('daria')), await setUp(await cabinet.as('denis'))]
  for (const [name, own, others] of [
    ['denis', his, hers],
    ['daria', hers, his],
  ] as const) {
    const { browser } = await begin(cabinet, name)
    for (const code of [codeOf(others.secret, 1), others.codes[0] as string])
      t.equal((await browser.post('/login/factor', { code })).statusCode, 422, name)
    t.equal((await browser.post('/login/factor', { code: codeOf(own.secret, 1) })).statusCode, 303, `${name} with their own`)
  }
})

t.test('a code serves half a minute before and after its own, and no longer', async (t) => {
  const cabinet = await startCabinet(t)
  const { secret } = await setUp(await cabinet.as('denis'))
  await at(Date.now() + 5 * 60_000, async () => {
    const { browser } = await begin(cabinet, 'denis')
    for (const away of [-2, 2])
      t.equal((await browser.post('/login/factor', { code: codeOf(secret, away) })).statusCode, 422, `${away} half minutes away`)
    t.equal((await browser.post('/login/factor', { code: codeOf(secret, -1) })).statusCode, 303)
    const again = (await begin(cabinet, 'denis')).browser
    t.equal((await again.post('/login/factor', { code: codeOf(secret, 1) })).statusCode, 303)
  })
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
  const notice = 'Your account requires two-step verification. Set it up to continue.'
  const noticesOf = async (browser: Browser) =>
    textsByRole(await browser.get('/profile?tab=security'), 'status').filter((text) => text.includes('requires'))
  t.same(await noticesOf(maria), [notice], 'they are told why they are here')
  t.same(await noticesOf(await as('denis')), [], 'who may choose is not told that they must')
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

const codesLeft = async (browser: Browser) =>
  Number(/Recovery codes left: (\d+)/.exec(textOf((await browser.get('/profile?tab=security')).body))?.[1])

const detailsOf = ({ db }: Cabinet, event: 'factor-changed' | 'factor-used' | 'refused' | 'locked-out', user: number) =>
  db
    .select()
    .from(securityEvents)
    .where(and(eq(securityEvents.event, event), eq(securityEvents.user_id, user)))
    .all()
    .map(({ detail }) => detail)

const minute = 60_000

t.test('recovery codes, and turning the second factor off', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  const [denis, daria] = [await as('denis'), await as('daria')]
  const opens = async (name: Name, code = '') => {
    const { browser } = await begin(cabinet, name)
    return (await browser.post('/login/factor', { code })).statusCode === 303
  }
  const first = await setUp(denis)
  const { codes: darias } = await setUp(daria)

  t.test('new recovery codes replace the old ones, which open nothing any more, and nobody else loses theirs', async (t) => {
    t.equal(await codesLeft(denis), 10)
    t.ok(await opens('denis', first.codes[0]))
    t.equal(await codesLeft(denis), 9, 'the page tells how many are left')
    const answer = await denis.post('/profile/factor/codes')
    t.equal(answer.statusCode, 200)
    const fresh = elementsOf(answer.body, '[data-recovery-code]').map(textOf)
    t.equal(new Set([...first.codes, ...fresh]).size, 20)
    t.equal(await codesLeft(denis), 10)
    for (const code of first.codes.slice(1, 4)) t.notOk(await opens('denis', code), 'an old one')
    t.notOk(await opens('denis', darias[1]), "another user's")
    t.ok(await opens('denis', fresh[9]?.replace('-', ' ').toLowerCase()), 'a new one, however it is written')
    t.ok(await opens('daria', darias[0]))
    t.same([await codesLeft(denis), await codesLeft(daria)], [9, 9])
    t.notMatch((await denis.get('/profile?tab=security')).body, 'data-recovery-code', 'they are shown once')
  })

  t.test('a second factor that is on cannot be set up again (409), and without one there are no recovery codes (409)', async (t) => {
    t.equal((await denis.post('/profile/factor', { code: codeOf(first.secret, 1) })).statusCode, 409)
    const maria = await as('maria')
    t.equal((await maria.post('/profile/factor/codes')).statusCode, 409)
    t.equal((await maria.post('/profile/factor/remove')).headers.location, '/profile?tab=security')
    t.same(detailsOf(cabinet, 'factor-changed', cast.maria), [], 'nothing was turned off')
  })

  t.test('turned off, the password alone opens the account, and what opened it before is void for good', async (t) => {
    const [kept] = elementsOf((await denis.post('/profile/factor/codes')).body, '[data-recovery-code]').map(textOf)
    const answer = await denis.post('/profile/factor/remove')
    t.equal(answer.headers.location, '/profile?tab=security')
    t.match(textsByRole(await denis.get('/profile?tab=security'), 'status'), ['Two-step verification is off.'])
    t.equal((await begin(cabinet, 'denis')).location, '/')
    t.equal((await begin(cabinet, 'daria')).location, '/login/factor', 'nobody else is let in by the password alone')
    const second = await setUp(denis)
    t.not(second.secret, first.secret, 'another key')
    t.notOk(await opens('denis', kept), 'a recovery code of the earlier one')
    t.notOk(await opens('denis', codeOf(first.secret, 1)), 'the earlier app')
    t.ok(await opens('denis', codeOf(second.secret, 1).replace(/^.{3}/, '$& ')), 'the new app, written with a space')
    t.same(detailsOf(cabinet, 'factor-changed', cast.denis), ['on', 'new recovery codes', 'new recovery codes', 'off', 'on'])
    t.same(detailsOf(cabinet, 'factor-used', cast.denis), ['recovery', 'recovery', 'app'])
    t.equal(db.select().from(secondFactors).all().length, 2)
  })
})

t.test('the code after the password', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  const { secret } = await setUp(await as('denis'))
  const { codes } = await setUp(await as('daria'))

  t.test('ten wrong codes are refused (422), then every code waits for 15 minutes (429), of that user only', async (t) => {
    const { browser } = await begin(cabinet, 'denis')
    for (let attempt = 1; attempt <= 10; attempt++) {
      const refused = await browser.post('/login/factor', { code: '123456' })
      t.equal(refused.statusCode, 422, `attempt ${attempt}`)
      t.same(textsByRole(refused, 'alert'), ['Wrong code. Enter the code your app shows now.'])
    }
    const waits = await browser.post('/login/factor', { code: codeOf(secret, 1) })
    t.equal(waits.statusCode, 429, 'the right one')
    t.ok(Number(waits.headers['retry-after']) > 800 && Number(waits.headers['retry-after']) <= 900, String(waits.headers['retry-after']))
    t.match(textsByRole(waits, 'alert').join(), /Try again/)
    t.same(detailsOf(cabinet, 'refused', cast.denis), Array(10).fill('code'))
    t.same(detailsOf(cabinet, 'locked-out', cast.denis), ['code'])
    const { browser: other } = await begin(cabinet, 'daria')
    t.equal((await other.post('/login/factor', { code: codes[0] as string })).statusCode, 303, 'others are not held up')
    await later(15 * minute + 1000, async () => {
      const { browser: again } = await begin(cabinet, 'denis')
      t.equal((await again.post('/login/factor', { code: codeOf(secret) })).statusCode, 303, 'after 15 minutes')
    })
  })

  t.test('is awaited for ten minutes, and not of an account that is deactivated meanwhile', async (t) => {
    const { browser } = await begin(cabinet, 'daria')
    await later(9 * minute, async () => t.equal((await browser.get('/login/factor')).statusCode, 200))
    await later(11 * minute, async () => {
      t.equal((await browser.get('/login/factor')).headers.location, '/login')
      t.equal((await browser.post('/login/factor', { code: codes[1] as string })).headers.location, '/login')
    })
    const activate = (active: boolean) => db.update(users).set({ active }).where(eq(users.id, cast.daria)).run()
    activate(false)
    t.equal((await browser.post('/login/factor', { code: codes[1] as string })).headers.location, '/login')
    activate(true)
    t.equal((await browser.post('/login/factor', { code: codes[1] as string })).headers.location, '/', 'the code was not used up')
  })
})

t.test('the QR code holds the key that is shown below it, with the name of the cabinet and the email', async (t) => {
  const { as } = await startCabinet(t)
  const denis = await as('denis')
  const secret = await shownSecret(denis)
  t.equal(await shownSecret(denis), secret, 'the key stays the same until it is confirmed')
  const refused = await denis.post('/profile/factor', { code: '12345' })
  t.equal(parseHtml(refused.body)('[data-secret]').attr('data-secret'), secret)
  const page = parseHtml((await denis.get('/profile?tab=security')).body)
  const svg = Buffer.from(page('img[src^="data:image/svg"]').attr('src')?.split(',')[1] as string, 'base64').toString()
  const dark = [...svg.matchAll(/M(\d+) (\d+)h1v1h-1z/g)].map(([, x, y]) => `${x} ${y}`)
  const account = new TOTP({ issuer: 'Dealer cabinet', label: emailOf('denis'), secret: Secret.fromBase32(secret) })
  const { modules } = QRCode.create(account.toString(), { errorCorrectionLevel: 'M' })
  const expected = [...modules.data].flatMap((bit, index) => (bit ? `${index % modules.size} ${Math.floor(index / modules.size)}` : []))
  t.same(dark, expected)
})

t.test('on the card of a user administrators see their sessions and end one or all of them', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db, newBrowser } = cabinet
  const signedIn = async (name: Name, agent: string) => {
    const browser = newBrowser()
    await browser.post('/login', { email: emailOf(name), password }, { 'user-agent': agent })
    return browser
  }
  const isIn = async (browser: Browser) => (await browser.get('/')).statusCode === 200
  const [phone, desk] = [await signedIn('maria', 'iPhone Safari/604.1'), await signedIn('maria', 'Windows Firefox/130.0')]
  const [mikhail, admin, root] = [await as('mikhail'), await as('admin'), await as('root')]
  for (const key of ['manager_can_view', 'manager_can_edit']) await root.post(`/admins/edit/${cast.admin}/rights/${key}`, { value: 1 })
  await phone.get(`/impersonate/${cast.vera}`)
  const card = `/managers/edit/${cast.maria}`
  const tab = async (browser = admin) => browser.get(`${card}?tab=sessions`)
  const stale = await signedIn('maria', 'Linux Chrome/130.0')
  db.update(sessions).set({ seen_at: 0 }).where(eq(sessions.user_agent, 'Linux Chrome/130.0')).run()
  t.notOk(await isIn(stale))

  const rows = rowsOf(await tab(), 'sessions')
  t.same(rows.map(({ cells }) => cells.browser).sort(), ['Firefox · Windows', 'Safari · iPhone signed in as Vernaya Vera'])
  t.match(rows[0]?.cells, { address: '127.0.0.1', created_at: 'now', seen_at: 'now', actions: 'Sign out' })
  const safari = rows.find(({ cells }) => cells.browser?.startsWith('Safari'))
  t.equal(parseHtml(safari?.html ?? '')('button').attr('aria-label'), 'Sign out: Safari · iPhone, 127.0.0.1')
  const came = Date.now() - 3 * 24 * 3600_000
  db.update(sessions)
    .set({ created_at: came })
    .where(eq(sessions.id, safari?.id as number))
    .run()
  const older = rowsOf(await tab(), 'sessions').find(({ id }) => id === safari?.id)
  t.match(older?.cells, { created_at: /^3\sdays ago$/, seen_at: 'now' })
  t.equal(parseHtml(older?.html ?? '')('[data-col=created_at]').attr('title'), formatDateTime(came))
  const active = Date.now() - 2 * 3600_000
  db.update(sessions)
    .set({ seen_at: active })
    .where(eq(sessions.id, safari?.id as number))
    .run()
  const idle = rowsOf(await tab(), 'sessions').find(({ id }) => id === safari?.id)
  t.match(idle?.cells, { created_at: /^3\sdays ago$/, seen_at: /ago|yesterday/ }, 'last active later than signed in')
  t.equal(parseHtml(idle?.html ?? '')('[data-col=seen_at]').attr('title'), formatDateTime(active))
  const idOf = (user: number) => db.select().from(sessions).where(eq(sessions.user_id, user)).get()?.id as number
  t.equal((await admin.post(`${card}/sessions/end`, { id: idOf(cast.mikhail) })).statusCode, 404, "another user's session")
  t.equal((await admin.post(`${card}/sessions/end`, {})).statusCode, 422)
  t.ok(await isIn(mikhail))
  const id = rows.find(({ cells }) => cells.browser?.startsWith('Safari'))?.id as number
  t.equal((await admin.post(`${card}/sessions/end`, { id })).headers.location, `${card}?tab=sessions`)
  t.same(textsByRole(await tab(), 'status').slice(0, 1), ['Session of Petrova Maria Ivanovna signed out'])
  t.same([await isIn(phone), await isIn(desk)], [false, true])
  await admin.post(`${card}/sessions/end`, { all: 1 })
  const after = await tab()
  t.same(textsByRole(after, 'status').slice(0, 1), ['All sessions of Petrova Maria Ivanovna signed out'])
  t.match(textOf(after.body), 'Not signed in anywhere.')
  t.notMatch(after.body, 'name="all"')
  t.same([await isIn(desk), await isIn(mikhail)], [false, true])
  const ended = db.select().from(securityEvents).where(eq(securityEvents.event, 'sessions-ended')).all()
  // Expired ones count too.
  t.match(ended, [
    { user_id: cast.maria, actor_id: cast.admin, detail: '1' },
    { user_id: cast.maria, actor_id: cast.admin, detail: '2' },
  ])

  const own = await root.get(`/admins/edit/${cast.root}?tab=sessions`)
  t.same(
    rowsOf(own, 'sessions').map(({ cells }) => [cells.browser, cells.actions]),
    [['Unknown browser This session', '']],
    'one does not sign oneself out by mistake',
  )
})

t.test('resetting the second factor is offered to superadministrators only, in their own name, where there is one', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast } = cabinet
  await setUp(await as('denis'))
  const offered = async (browser: Browser, id: number) =>
    (await browser.get(`/dealers/edit/${id}?tab=sessions`)).body.includes(`/dealers/edit/${id}/factor/reset`)
  const [root, admin] = [await as('root'), await as('admin')]
  t.same([await offered(root, cast.denis), await offered(root, cast.daria), await offered(admin, cast.denis)], [true, false, false])
  await root.post(`/admins/edit/${cast.clerk}`, { superadmin: 1 })
  await root.get(`/impersonate/${cast.clerk}`)
  t.notOk(await offered(root, cast.denis))
  t.equal((await root.post(`/dealers/edit/${cast.denis}/factor/reset`)).statusCode, 403)
  await root.post('/impersonate/leave')
  await root.post(`/dealers/edit/${cast.denis}/factor/reset`)
  t.same(textsByRole(await root.get(`/dealers/edit/${cast.denis}?tab=sessions`), 'status').slice(0, 1), [
    'Two-step verification of Denisov Denis is off, passkeys are removed.',
  ])
  t.same(detailsOf(cabinet, 'factor-changed', cast.denis), ['on', 'off'])
  t.notOk(await offered(root, cast.denis), 'there is none any more')
})
