import { desc, eq, sql } from 'drizzle-orm'
import fc from 'fast-check'
import t from 'tap'
import { changes, sessions, users } from '../../src/database/schema/index.ts'
import { deleteExpiredRows } from '../../src/records/housekeeping.ts'
import { type Browser, type Cabinet, htmx, startCabinet } from '../support/cabinet.ts'
import { emailOf, grant, type Name, password, revoke } from '../support/cast.ts'
import { elementById, textsByRole } from '../support/html.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

const signIn = (browser: Browser, email: string, word = password, more: Record<string, string> = {}) =>
  browser.post('/login', { email, password: word, ...more })

const sessionsOf = ({ db }: Cabinet, id: number) => db.select().from(sessions).where(eq(sessions.user_id, id)).all()

async function isSignedIn(browser: Browser): Promise<boolean> {
  return (await browser.get('/')).statusCode === 200
}

t.test('a session', async (t) => {
  const cabinet = await startCabinet(t)
  const { newBrowser, cast, db, as } = cabinet
  const set = (id: number, values: object) => db.update(sessions).set(values).where(eq(sessions.user_id, id)).run()

  t.test('a session begins only by signing in', async (t) => {
    const browser = newBrowser()
    for (const path of ['/login', '/dealers', '/healthz', '/nothing']) t.same((await browser.get(path)).cookies, [], path)
    await browser.post('/preferences', { language: 'ru' })
    await browser.post('/logout')
    t.equal(db.select().from(sessions).all().length, 0)
  })

  t.test('signing out ends the session, and its cookie is no longer accepted', async (t) => {
    const browser = newBrowser()
    await signIn(browser, emailOf('maria'))
    const kept = new Map(browser.cookies)
    t.equal(sessionsOf(cabinet, cast.maria).length, 1)
    const answer = await browser.post('/logout')
    t.equal(answer.statusCode, 303)
    t.equal(answer.headers.location, '/login')
    t.equal(sessionsOf(cabinet, cast.maria).length, 0)
    const thief = newBrowser()
    for (const [name, value] of kept) thief.cookies.set(name, value)
    t.notOk(await isSignedIn(thief))
    t.equal((await browser.get('/logout')).statusCode === 200, false, 'a link does not sign out')
  })

  t.test('signing out ends the session of this browser only', async (t) => {
    const [home, work] = [newBrowser(), newBrowser()]
    await signIn(home, emailOf('maria'))
    await signIn(work, emailOf('maria'))
    await home.post('/logout')
    t.ok(await isSignedIn(work))
  })

  t.test('every sign-in begins a new session, in the same browser too', async (t) => {
    const browser = newBrowser()
    await signIn(browser, emailOf('mikhail'))
    const kept = new Map(browser.cookies)
    await signIn(browser, emailOf('mikhail'))
    t.notSame(browser.cookies, kept)
    t.equal(sessionsOf(cabinet, cast.mikhail).length, 1, 'the earlier one is gone')
    const thief = newBrowser()
    for (const [name, value] of kept) thief.cookies.set(name, value)
    t.notOk(await isSignedIn(thief), 'whoever kept its cookie is nobody')
  })

  t.test('a session is stored by a hash of its token', async (t) => {
    const row = sessionsOf(cabinet, cast.mikhail)[0]
    t.match(row?.token_hash, /^[0-9a-f]{64}$/)
    t.notOk([...(await as('mikhail')).cookies.values()].some((value) => value.includes(row?.token_hash ?? '')))
  })

  t.test('a session expires after 12 hours without a request', async (t) => {
    const browser = newBrowser()
    await signIn(browser, emailOf('vera'))
    set(cast.vera, { seen_at: Date.now() - 12 * hour + minute })
    t.ok(await isSignedIn(browser), 'just before')
    t.ok((sessionsOf(cabinet, cast.vera)[0]?.seen_at ?? 0) > Date.now() - minute, 'and a request begins them anew')
    const isAnewAfter = async (minutes: number) => {
      set(cast.vera, { seen_at: Date.now() - minutes * minute })
      await isSignedIn(browser)
      return (sessionsOf(cabinet, cast.vera)[0]?.seen_at ?? 0) > Date.now() - minute
    }
    t.same([await isAnewAfter(4), await isAnewAfter(6)], [false, true], 'to five minutes, so that reading is no write each time')
    set(cast.vera, { seen_at: Date.now() - 12 * hour - minute })
    t.notOk(await isSignedIn(browser), 'just after')
  })

  t.test('a session expires after 7 days, however active', async (t) => {
    const browser = newBrowser()
    await signIn(browser, emailOf('roman'))
    set(cast.roman, { created_at: Date.now() - 7 * day + minute })
    t.ok(await isSignedIn(browser), 'just before')
    set(cast.roman, { created_at: Date.now() - 7 * day - minute })
    t.notOk(await isSignedIn(browser), 'just after')
  })

  t.test('a made-up cookie opens no session', async (t) => {
    const browser = newBrowser()
    await fc.assert(
      fc.asyncProperty(fc.base64String({ maxLength: 200 }), fc.base64String({ maxLength: 40 }), async (text, nonce) => {
        browser.cookies.clear()
        const answer = await browser.get('/', { cookie: `cabinet=${text};${nonce}` })
        return answer.statusCode === 303 && answer.headers.location === '/login?next=%2F'
      }),
      { numRuns: 100 },
    )
    t.pass('nobody')
  })

  t.test('after its session a browser is sent to sign in and then back to the page', async (t) => {
    const browser = newBrowser()
    const answer = await browser.get('/dealers?q=a&page=2')
    t.equal(answer.headers.location, `/login?next=${encodeURIComponent('/dealers?q=a&page=2')}`)
    t.equal((await browser.post('/dealers/add', { name: 'x' })).headers.location, '/login', 'a write is not to be repeated by a link')
    const fragment = await browser.get('/dealers', htmx)
    t.equal(fragment.statusCode, 401)
    t.match(String(fragment.headers['hx-redirect']), /^\/login/)
    t.equal(fragment.body, '', 'a sign-in page never lands inside a fragment')
  })

  t.test('whose session has ended on an open page is told so, and comes back to that page', async (t) => {
    const browser = newBrowser()
    await signIn(browser, emailOf('denis'))
    const said = async (address: unknown) => textsByRole(await browser.get(String(address)), 'status').join()
    db.delete(sessions).where(eq(sessions.user_id, cast.denis)).run()
    const open = '/orders/1?tab=history'
    const part = await browser.get('/orders/1?transition_id=2', { ...htmx, 'hx-current-url': `http://localhost${open}` })
    t.match(part, { statusCode: 401, headers: { 'x-session': 'ended' } })
    const target = String(part.headers['hx-redirect'])
    t.equal(target, `/login?next=${encodeURIComponent(open)}&ended=1`)
    t.equal(await said(target), 'Your session has ended. Sign in, and you return to where you were.')
    const form = await browser.post('/orders/add', { receiver: 'X' }, { referer: 'http://localhost/orders/add?draft=7' })
    t.equal(form.headers.location, `/login?next=${encodeURIComponent('/orders/add?draft=7')}&ended=1`)
    t.match(await said(form.headers.location), /return to where you were\. Your order is there as its draft was last saved\./)
    const page = await browser.get('/orders?q=a')
    t.match(await said(page.headers.location), 'Your session has ended', 'the cookie tells it of whole pages')
    t.equal(await said('/login'), '', 'where nothing is to be gone on with, nothing is said')
    const away = { ...htmx, 'hx-current-url': 'http://evil.example//evil.example/x' }
    t.equal((await browser.get('/orders', away)).headers['hx-redirect'], '/login')
    const changing = { ...htmx, 'hx-current-url': 'http://localhost/impersonate/2' }
    t.equal((await browser.get('/orders', changing)).headers['hx-redirect'], '/login', 'nor to what changes something')
    t.equal(textsByRole(await newBrowser().get('/login?next=/orders'), 'status').join(), '', 'a stranger had no session')
    const back = await browser.post('/login', { email: emailOf('denis'), password, next: open })
    t.equal(back.headers.location, open)
    await browser.post('/logout')
    t.equal(textsByRole(await browser.get('/login?next=/'), 'status').join(), '', 'whoever left knows it')
  })
})

t.test('the session cookie is HttpOnly, SameSite=Lax, for this host only, and Secure behind HTTPS', async (t) => {
  const cookieWith = async (environment: Record<string, string>, headers: Record<string, string> = {}) => {
    const { newBrowser } = await startCabinet(t, { environment })
    const answer = await newBrowser().post('/login', { email: emailOf('maria'), password }, headers)
    t.equal(answer.statusCode, 303)
    return { line: String(answer.headers['set-cookie']), cookie: answer.cookies[0] }
  }
  const https = { 'x-forwarded-proto': 'https' }

  const { line, cookie } = await cookieWith({})
  t.match(line, /;\s*HttpOnly/i)
  t.match(line, /;\s*SameSite=Lax/i)
  t.notMatch(line, /;\s*Secure/i)
  t.equal(cookie?.path, '/')
  t.notMatch(line, /Domain=/i, 'is for this host only')
  t.match((await cookieWith({ TRUST_PROXY: 'on' }, https)).line, /;\s*Secure/i, 'Secure behind HTTPS')
  t.notMatch((await cookieWith({ TRUST_PROXY: 'on' }, { 'x-forwarded-proto': 'http' })).line, /;\s*Secure/i)
  t.notMatch((await cookieWith({}, https)).line, /;\s*Secure/i, 'a header that nobody vouches for says nothing')
})

t.test('the sessions of a user end at the next request', async (t) => {
  const cabinet = await startCabinet(t)
  const { newBrowser, cast, db, as } = cabinet
  const admin = await as('admin')

  const ways: [string, Name, () => Promise<{ statusCode: number }>][] = [
    [
      'a new password ends every session of a user',
      'denis',
      () => admin.post(`/dealers/edit/${cast.denis}`, { password: 'quite another one' }),
    ],
    ['deactivating a user ends every session of theirs', 'daria', () => admin.post(`/dealers/${cast.daria}/active`, { value: 0 })],
    ['deleting a user ends every session of theirs', 'vera', () => admin.post('/dealers/delete', { id: cast.vera })],
  ]
  for (const [name, who, act] of ways)
    t.test(name, async (t) => {
      const [home, work] = [newBrowser(), newBrowser()]
      for (const browser of [home, work]) await signIn(browser, emailOf(who))
      t.ok(await isSignedIn(home))
      t.equal((await act()).statusCode, 303)
      for (const browser of [home, work]) t.notOk(await isSignedIn(browser))
      t.equal((await signIn(newBrowser(), emailOf(who))).statusCode, 422, 'and the old password opens none')
    })

  t.test('the sessions of a user do not end when something else changes', async (t) => {
    const roman = newBrowser()
    await signIn(roman, emailOf('roman'))
    await admin.post(`/dealers/edit/${cast.roman}`, { name: 'Romuald', password: '' })
    await admin.post(`/dealers/${cast.roman}/active`, { value: 1 })
    t.ok(await isSignedIn(roman))
  })

  t.test('the sessions of a user end when the account is deactivated directly in the database', async (t) => {
    const roman = newBrowser()
    await signIn(roman, emailOf('roman'))
    db.update(users).set({ active: false }).where(eq(users.id, cast.roman)).run()
    t.notOk(await isSignedIn(roman))
  })
})

t.test('impersonations end at the next request', async (t) => {
  const start = async (target: Name = 'denis') => {
    const cabinet = await startCabinet(t)
    const maria = await cabinet.as('maria')
    const answer = await maria.get(`/impersonate/${cabinet.cast[target]}`, { referer: 'http://localhost/dealers?q=den' })
    t.equal(answer.statusCode, 303)
    t.ok(elementById(await maria.get('/'), 'impersonation'), 'it lasts')
    return { ...cabinet, maria, admin: await cabinet.as('admin') }
  }
  const endings: [string, (open: Awaited<ReturnType<typeof start>>) => unknown][] = [
    [
      'an impersonation ends when the target gets a new password',
      ({ admin, cast }) => admin.post(`/dealers/edit/${cast.denis}`, { password: 'quite another one' }),
    ],
    [
      'an impersonation ends when the target is deactivated',
      ({ admin, cast }) => admin.post(`/dealers/${cast.denis}/active`, { value: 0 }),
    ],
    ['an impersonation ends when the target is deleted', ({ admin, cast }) => admin.post('/dealers/delete', { id: cast.denis })],
    ['an impersonation ends when the impersonator loses the permission', ({ db, cast }) => revoke(db, cast.maria, 'dealer_can_auth')],
    [
      'an impersonation ends when the target becomes a superadministrator',
      ({ db, cast }) => db.update(users).set({ superadmin: true }).where(eq(users.id, cast.denis)).run(),
    ],
  ]
  for (const [name, end] of endings)
    t.test(name, async (t) => {
      const open = await start()
      await end(open)
      const back = await open.maria.get('/dealers')
      t.equal(back.statusCode, 303)
      t.equal(back.headers.location, '/dealers?q=den', 'led back to where it began')
      const page = await open.maria.get('/dealers')
      t.equal(page.statusCode, 200, 'as herself')
      t.notOk(elementById(page, 'impersonation'))
      t.ok(textsByRole(page, 'status').length > 0, 'and told so')
    })

  t.test('a request sent while impersonating is never carried out as the impersonator', async (t) => {
    const { maria, db, cast } = await start()
    grant(db, cast.denis, 'dealer_can_view', 'dealer_can_edit')
    revoke(db, cast.maria, 'dealer_can_auth')
    const answer = await maria.post(`/dealers/edit/${cast.roman}`, { name: 'Updated' })
    t.equal(answer.statusCode, 303)
    t.equal(answer.headers.location, '/dealers?q=den')
    t.equal(db.select().from(users).where(eq(users.id, cast.roman)).get()?.name, 'Roman')
  })

  t.test('htmx is told to leave an impersonation that has ended', async (t) => {
    const { maria, db, cast } = await start()
    revoke(db, cast.maria, 'dealer_can_auth')
    const answer = await maria.get('/dealers', htmx)
    t.equal(answer.statusCode, 401)
    t.equal(answer.headers['hx-redirect'], '/dealers?q=den')
  })

  t.test('an impersonation ends with the session of the impersonator', async (t) => {
    const ways: ((open: Awaited<ReturnType<typeof start>>) => unknown)[] = [
      ({ maria }) => maria.post('/logout'),
      ({ db, cast }) => db.update(users).set({ active: false }).where(eq(users.id, cast.maria)).run(),
    ]
    for (const end of ways) {
      const open = await start()
      await end(open)
      const { statusCode, headers } = await open.maria.get('/')
      t.equal(statusCode, 303)
      t.match(String(headers.location), /^\/login/)
    }
  })

  t.test('the target of an impersonation keeps their own session', async (t) => {
    const { as, maria, db, cast } = await start()
    const denis = await as('denis')
    t.notOk(elementById(await denis.get('/'), 'impersonation'))
    await maria.post('/impersonate/leave')
    t.ok(await isSignedIn(denis))
    t.equal(db.select().from(sessions).where(eq(sessions.user_id, cast.denis)).all().length, 1)
  })
})

t.test('changes made while impersonating are recorded with both users', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const admin = await as('admin')
  grant(db, cast.denis, 'dealer_can_view', 'dealer_can_edit')
  await admin.get(`/impersonate/${cast.denis}`)
  await admin.post(`/dealers/edit/${cast.roman}`, { phone: '+7(999) 111 22 33' })
  const change = db.select().from(changes).where(eq(changes.record_id, cast.roman)).orderBy(desc(changes.id)).get()
  t.match(change, { actor_id: cast.denis, impersonator_id: cast.admin }, 'the history names both')
  t.equal(db.select().from(users).where(eq(users.id, cast.denis)).get()?.last_auth, null, 'it is no sign-in of the target')
})

t.test('housekeeping deletes expired rows and nothing else', async (t) => {
  const { app, db, as } = await startCabinet(t)
  const [admin, clerk] = [await as('admin'), await as('clerk')]
  db.run(sql`update sessions set seen_at = seen_at - ${8 * day} where user_id = (select id from users where email = 'clerk@example.com')`)
  db.run(
    sql`insert into submissions (user_id, once, location, at) values (1, 'old', '/', ${Date.now() - 1.01 * day}), (1, 'new', '/', ${Date.now() - 0.99 * day})`,
  )
  deleteExpiredRows(app)
  t.equal((await admin.get('/')).statusCode, 200)
  t.equal((await clerk.get('/')).statusCode, 303)
  t.equal(db.get<{ left: number }>(sql`select count(*) as left from sessions`).left, 1)
  t.same(db.all(sql`select once from submissions`), [{ once: 'new' }])
})
