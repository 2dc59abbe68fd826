import argon2 from 'argon2'
import { desc, eq, sql } from 'drizzle-orm'
import fc from 'fast-check'
import t from 'tap'
import { changes, sessions, signInFailures, users } from '../../src/database/schema/index.ts'
import { deleteExpiredRows } from '../../src/web/operations/housekeeping.ts'
import { type Browser, type Cabinet, htmx, startCabinet } from '../support/cabinet.ts'
import { emailOf, grant, type Name, password, revoke } from '../support/cast.ts'
import { elementById, fieldOf, isDocument, tagsOf, textsByRole } from '../support/html.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

const signIn = (browser: Browser, email: string, word = password, more: Record<string, string> = {}) =>
  browser.post('/login', { email, password: word, ...more })

const sessionsOf = ({ db }: Cabinet, id: number) => db.select().from(sessions).where(eq(sessions.user_id, id)).all()

async function isSignedIn(browser: Browser): Promise<boolean> {
  return (await browser.get('/')).statusCode === 200
}

/** An account whose email another one has already: only the database's own hand can make it, or an administrator's card. */
async function duplicate({ db }: Cabinet, of: number, word: string, more: object = {}): Promise<number> {
  const { id, ...row } = db.select().from(users).where(eq(users.id, of)).get() as typeof users.$inferSelect
  const hash = await argon2.hash(word, { memoryCost: 1024, timeCost: 2, parallelism: 1 })
  return Number(
    db
      .insert(users)
      .values({ ...row, password: hash, ...more })
      .run().lastInsertRowid,
  )
}

t.test('signing in', async (t) => {
  const cabinet = await startCabinet(t)
  const { newBrowser, cast, db } = cabinet
  const whoIs = (browser: Browser) => browser.get('/').then(({ body }) => body)

  t.test('the page asks for email and password and keeps where one was going', async (t) => {
    const page = await newBrowser().get('/login?next=%2Fdealers%3Fq%3Da')
    t.equal(page.statusCode, 200)
    t.equal(fieldOf(page, 'password')?.type, 'password')
    t.equal(fieldOf(page, 'email')?.value, '')
    t.equal(fieldOf(page, 'next')?.value, '/dealers?q=a')
  })

  t.test('the right password leads on and remembers when', async (t) => {
    const before = Date.now()
    const browser = newBrowser()
    const answer = await signIn(browser, emailOf('maria'))
    t.equal(answer.statusCode, 303)
    t.equal(answer.headers.location, '/')
    t.ok(await isSignedIn(browser))
    const { last_auth } = db.select().from(users).where(eq(users.id, cast.maria)).get() ?? {}
    t.ok(last_auth && last_auth >= before)
  })

  t.test('a wrong password, an unknown and an inactive account get the same answer, 422', async (t) => {
    const texts = new Set<string>()
    const attempts = [
      [emailOf('maria'), 'a bad password'],
      ['nobody@example.com', password],
      [emailOf('ivan'), password],
      ['', ''],
    ] as const
    const before = db.select().from(sessions).all().length
    for (const [email, word] of attempts) {
      const browser = newBrowser()
      const answer = await signIn(browser, email, word, { next: '/dealers' })
      t.equal(answer.statusCode, 422, email)
      t.ok(isDocument(answer))
      t.equal(fieldOf(answer, 'email')?.value, email, 'what was typed stays')
      t.equal(fieldOf(answer, 'next')?.value, '/dealers')
      t.notOk(answer.body.includes(word === '' ? 'no such thing' : word), 'but not the password')
      t.equal(fieldOf(answer, 'email')?.invalid, true)
      t.same(answer.cookies, [])
      t.notOk(await isSignedIn(browser))
      texts.add(textsByRole(answer, 'alert').join())
    }
    t.equal(texts.size, 1)
    t.not([...texts][0], '')
    t.equal(db.select().from(sessions).all().length, before, 'no session came of it')
    t.equal((await newBrowser().post('/login', {})).statusCode, 422, 'nor of an empty body')
  })

  t.test('emails compare trimmed and without case', async (t) => {
    for (const email of ['  MARIA@Example.COM ', 'Maria@example.com', '\tmaria@example.com'])
      t.equal((await signIn(newBrowser(), email)).statusCode, 303, email)
  })

  t.test('a password is taken to the letter', async (t) => {
    for (const word of [` ${password}`, `${password} `, password.toUpperCase()])
      t.equal((await signIn(newBrowser(), emailOf('maria'), word)).statusCode, 422, `"${word}"`)
  })

  t.test('of two accounts with one email each password opens its own', async (t) => {
    const twin = await duplicate(cabinet, cast.denis, 'the twin password', { name: 'Twin', lastname: 'Twinsky' })
    const first = newBrowser()
    const second = newBrowser()
    t.equal((await signIn(first, emailOf('denis'))).statusCode, 303)
    t.equal((await signIn(second, emailOf('denis').toUpperCase(), 'the twin password')).statusCode, 303)
    t.match(await whoIs(first), 'Denisov')
    t.match(await whoIs(second), 'Twinsky')
    t.equal(sessionsOf(cabinet, twin).length, 1)
    await duplicate(cabinet, cast.denis, 'the twin password', { lastname: 'Latecomer' })
    const third = newBrowser()
    await signIn(third, emailOf('denis'), 'the twin password')
    t.match(await whoIs(third), 'Twinsky', 'the same password opens the first by id')
    db.update(users).set({ active: false }).where(eq(users.id, twin)).run()
    const fourth = newBrowser()
    await signIn(fourth, emailOf('denis'), 'the twin password')
    t.match(await whoIs(fourth), 'Latecomer', 'one that is switched off is passed over')
  })

  t.test('somebody who is signed in is led past the sign-in page', async (t) => {
    const browser = newBrowser()
    await signIn(browser, emailOf('maria'))
    const answer = await browser.get('/login?next=/dealers')
    t.equal(answer.statusCode, 303)
    t.equal(answer.headers.location, '/dealers')
  })
})

t.test('where one goes after signing in', async (t) => {
  const { as, newBrowser } = await startCabinet(t)
  const maria = await as('maria')
  const inside = ['/dealers', '/dealers?q=a&page=2', '/company/edit/1', '/']
  const outside = [
    '//evil.example',
    '///evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    'https://evil.example',
    'https:evil.example',
    'javascript:alert(1)',
    'dealers',
    '/.//evil.example',
    '/..//evil.example',
    '/dealers/..//evil.example',
    '/./\\evil.example',
    '/%2e//evil.example',
    '',
  ]

  t.test('to the page asked for, when it is one of the cabinet', async (t) => {
    for (const next of inside) t.equal((await signIn(newBrowser(), emailOf('maria'), password, { next })).headers.location, next, next)
  })

  t.test('never to another site', async (t) => {
    for (const next of outside) {
      const { statusCode, headers } = await signIn(newBrowser(), emailOf('mikhail'), password, { next })
      const target = new URL(String(headers.location), 'http://cabinet.test')
      t.equal(statusCode, 303)
      t.equal(target.host, 'cabinet.test', `${JSON.stringify(next)} leads to ${headers.location}`)
    }
  })

  t.test('whatever it is made of', async (t) => {
    const piece = fc.constantFrom('/', '\\', '.', '..', '%2e', '@', '\t', 'evil.example', 'dealers')
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.string(),
          fc.array(piece, { maxLength: 8 }).map((pieces) => `/${pieces.join('')}`),
        ),
        async (next) => {
          const { statusCode, headers } = await maria.get(`/login?next=${encodeURIComponent(next)}`)
          return statusCode === 303 && new URL(String(headers.location), 'http://cabinet.test').host === 'cabinet.test'
        },
      ),
      { numRuns: 500 },
    )
    t.pass('stayed inside')
  })
})

t.test('a session', async (t) => {
  const cabinet = await startCabinet(t)
  const { newBrowser, cast, db, as } = cabinet
  const set = (id: number, values: object) => db.update(sessions).set(values).where(eq(sessions.user_id, id)).run()

  t.test('begins with signing in only', async (t) => {
    const browser = newBrowser()
    for (const path of ['/login', '/dealers', '/healthz', '/nothing']) t.same((await browser.get(path)).cookies, [], path)
    await browser.post('/preferences', { language: 'ru' })
    await browser.post('/logout')
    t.equal(db.select().from(sessions).all().length, 0)
  })

  t.test('ends with signing out, and its cookie opens nothing any more', async (t) => {
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

  t.test('ends in this browser only', async (t) => {
    const [home, work] = [newBrowser(), newBrowser()]
    await signIn(home, emailOf('maria'))
    await signIn(work, emailOf('maria'))
    await home.post('/logout')
    t.ok(await isSignedIn(work))
  })

  t.test('is a new one at every sign-in, in the same browser too', async (t) => {
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

  t.test('is found in the database by a hash, not by what the cookie holds', async (t) => {
    const row = sessionsOf(cabinet, cast.mikhail)[0]
    t.match(row?.token_hash, /^[0-9a-f]{64}$/)
    t.notOk([...(await as('mikhail')).cookies.values()].some((value) => value.includes(row?.token_hash ?? '')))
  })

  t.test('ends after 12 hours without a request', async (t) => {
    const browser = newBrowser()
    await signIn(browser, emailOf('vera'))
    set(cast.vera, { seen_at: Date.now() - 12 * hour + minute })
    t.ok(await isSignedIn(browser), 'just before')
    t.ok((sessionsOf(cabinet, cast.vera)[0]?.seen_at ?? 0) > Date.now() - minute, 'and a request begins them anew')
    set(cast.vera, { seen_at: Date.now() - 12 * hour - minute })
    t.notOk(await isSignedIn(browser), 'just after')
  })

  t.test('ends after 7 days however busy', async (t) => {
    const browser = newBrowser()
    await signIn(browser, emailOf('roman'))
    set(cast.roman, { created_at: Date.now() - 7 * day + minute })
    t.ok(await isSignedIn(browser), 'just before')
    set(cast.roman, { created_at: Date.now() - 7 * day - minute })
    t.notOk(await isSignedIn(browser), 'just after')
  })

  t.test('is not what a made-up cookie opens', async (t) => {
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

  t.test('leads to the sign-in page once it is over, with what one was looking at', async (t) => {
    const browser = newBrowser()
    const answer = await browser.get('/dealers?q=a&page=2')
    t.equal(answer.headers.location, `/login?next=${encodeURIComponent('/dealers?q=a&page=2')}`)
    t.equal((await browser.post('/dealers/add', { name: 'x' })).headers.location, '/login', 'a write is not to be repeated by a link')
    const fragment = await browser.get('/dealers', htmx)
    t.equal(fragment.statusCode, 401)
    t.match(String(fragment.headers['hx-redirect']), /^\/login/)
    t.equal(fragment.body, '', 'a sign-in page never lands inside a fragment')
  })
})

t.test('the cookie', async (t) => {
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

t.test('sessions of a person end at the next request', async (t) => {
  const cabinet = await startCabinet(t)
  const { newBrowser, cast, db, as } = cabinet
  const admin = await as('admin')

  const ways: [string, Name, () => Promise<{ statusCode: number }>][] = [
    ['with a new password', 'denis', () => admin.post(`/dealers/edit/${cast.denis}`, { password: 'quite another one' })],
    ['when switched off', 'daria', () => admin.post(`/dealers/${cast.daria}/active`, { value: 0 })],
    ['when deleted', 'vera', () => admin.post('/dealers/delete', { id: cast.vera })],
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

  t.test('not when something else changes', async (t) => {
    const roman = newBrowser()
    await signIn(roman, emailOf('roman'))
    await admin.post(`/dealers/edit/${cast.roman}`, { name: 'Romuald', password: '' })
    await admin.post(`/dealers/${cast.roman}/active`, { value: 1 })
    t.ok(await isSignedIn(roman))
  })

  t.test('when the row itself is switched off by any other way', async (t) => {
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
      'when the target gets a new password',
      ({ admin, cast }) => admin.post(`/dealers/edit/${cast.denis}`, { password: 'quite another one' }),
    ],
    ['when the target is switched off', ({ admin, cast }) => admin.post(`/dealers/${cast.denis}/active`, { value: 0 })],
    ['when the target is deleted', ({ admin, cast }) => admin.post('/dealers/delete', { id: cast.denis })],
    ['when the right is lost', ({ db, cast }) => revoke(db, cast.maria, 'dealer_can_auth')],
    [
      'when the target becomes a superadministrator',
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

  t.test('nothing is carried out in another name than one saw', async (t) => {
    const { maria, db, cast } = await start()
    grant(db, cast.denis, 'dealer_can_view', 'dealer_can_edit')
    revoke(db, cast.maria, 'dealer_can_auth')
    const answer = await maria.post(`/dealers/edit/${cast.roman}`, { name: 'Updated' })
    t.equal(answer.statusCode, 303)
    t.equal(answer.headers.location, '/dealers?q=den')
    t.equal(db.select().from(users).where(eq(users.id, cast.roman)).get()?.name, 'Roman')
  })

  t.test('htmx is told where to go', async (t) => {
    const { maria, db, cast } = await start()
    revoke(db, cast.maria, 'dealer_can_auth')
    const answer = await maria.get('/dealers', htmx)
    t.equal(answer.statusCode, 401)
    t.equal(answer.headers['hx-redirect'], '/dealers?q=den')
  })

  t.test('with the session of the one who impersonates', async (t) => {
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

  t.test('the target keeps their own session and sees nothing of it', async (t) => {
    const { as, maria, db, cast } = await start()
    const denis = await as('denis')
    t.notOk(elementById(await denis.get('/'), 'impersonation'))
    await maria.post('/impersonate/leave')
    t.ok(await isSignedIn(denis))
    t.equal(db.select().from(sessions).where(eq(sessions.user_id, cast.denis)).all().length, 1)
  })
})

t.test('too many attempts', async (t) => {
  const open = async () => {
    const cabinet = await startCabinet(t, { environment: { TRUST_PROXY: 'on' } })
    const attempt = (email: string, address: string, word = 'a bad password') =>
      cabinet.newBrowser().post('/login', { email, password: word }, { 'x-forwarded-for': address })
    /** Failures that happened earlier, as attempts leave them. */
    const failed = (count: number, values: (index: number) => { email: string; address: string }) => {
      for (let index = 0; index < count; index++)
        cabinet.db
          .insert(signInFailures)
          .values({ ...values(index), at: Date.now() - minute })
          .run()
    }
    return { ...cabinet, attempt, failed }
  }

  t.test('10 for one account from one address', async (t) => {
    const { attempt, db, cast } = await open()
    for (let count = 1; count <= 10; count++) t.equal((await attempt(emailOf('denis'), '198.51.100.1')).statusCode, 422, `failure ${count}`)
    const refused = await attempt(emailOf('denis'), '198.51.100.1', password)
    t.equal(refused.statusCode, 429, 'the right password does not help')
    const seconds = Number(refused.headers['retry-after'])
    t.ok(Number.isInteger(seconds) && seconds > 0 && seconds <= 900, `Retry-After ${seconds}`)
    t.ok(textsByRole(refused, 'alert').length > 0)
    t.equal((await attempt(' DENIS@Example.com', '198.51.100.1', password)).statusCode, 429, 'nor writing the email differently')
    t.equal((await attempt(emailOf('denis'), '198.51.100.2', password)).statusCode, 303, 'elsewhere the account is open')
    t.equal((await attempt(emailOf('maria'), '198.51.100.1', password)).statusCode, 303, 'and so is another account here')
    t.equal(db.select().from(sessions).where(eq(sessions.user_id, cast.denis)).all().length, 1)
    db.update(signInFailures)
      .set({ at: Date.now() - 15 * minute - 1000 })
      .run()
    t.equal((await attempt(emailOf('denis'), '198.51.100.1', password)).statusCode, 303, 'after 15 minutes')
  })

  t.test('100 for one account', async (t) => {
    const { attempt, failed } = await open()
    failed(99, (index) => ({ email: emailOf('denis'), address: `198.51.100.${index}` }))
    t.equal((await attempt(emailOf('denis'), '203.0.113.1')).statusCode, 422)
    t.equal((await attempt(emailOf('denis'), '203.0.113.2', password)).statusCode, 429)
    t.equal((await attempt(emailOf('maria'), '203.0.113.2', password)).statusCode, 303, 'another account is open')
  })

  t.test('50 from one address', async (t) => {
    const { attempt, failed } = await open()
    failed(49, (index) => ({ email: `guess${index}@example.com`, address: '198.51.100.1' }))
    t.equal((await attempt('guess@example.com', '198.51.100.1')).statusCode, 422)
    const refused = await attempt(emailOf('maria'), '198.51.100.1', password)
    t.equal(refused.statusCode, 429)
    t.ok(Number(refused.headers['retry-after']) <= 15 * 60)
    t.equal((await attempt(emailOf('maria'), '198.51.100.2', password)).statusCode, 303)
  })

  t.test('a success is no failure', async (t) => {
    const { attempt } = await open()
    for (let count = 0; count < 12; count++) t.equal((await attempt(emailOf('maria'), '198.51.100.1', password)).statusCode, 303)
    for (let count = 0; count < 9; count++) await attempt(emailOf('denis'), '198.51.100.1')
    t.equal((await attempt(emailOf('denis'), '198.51.100.1', password)).statusCode, 303)
  })

  t.test('attempts at the same moment count too', async (t) => {
    const { attempt } = await open()
    const answers = await Promise.all(Array.from({ length: 14 }, () => attempt(emailOf('denis'), '198.51.100.1')))
    t.equal(answers.filter(({ statusCode }) => statusCode === 429).length, 4)
  })

  t.test('without a trusted proxy nobody chooses their own address', async (t) => {
    const { newBrowser } = await startCabinet(t)
    const attempt = (index: number) =>
      newBrowser().post('/login', { email: emailOf('denis'), password: 'a bad password' }, { 'x-forwarded-for': `198.51.100.${index}` })
    for (let count = 1; count <= 10; count++) await attempt(count)
    t.equal((await attempt(11)).statusCode, 429)
  })

  t.test('behind the proxy only the address that it adds counts', async (t) => {
    const { attempt } = await open()
    for (let count = 1; count <= 10; count++) await attempt(emailOf('denis'), `203.0.113.${count}, 198.51.100.1`)
    t.equal((await attempt(emailOf('denis'), '203.0.113.99, 198.51.100.1')).statusCode, 429)
  })
})

const languageOf = (page: { body: string }) => tagsOf(page.body, 'html')[0]?.lang

t.test('language', async (t) => {
  const { newBrowser, as, db, cast } = await startCabinet(t)
  const asked = async (header: string, browser = newBrowser()) => languageOf(await browser.get('/login', { 'accept-language': header }))

  t.test('the browser says it, and English is what nobody asked for', async (t) => {
    t.equal(languageOf(await newBrowser().get('/login')), 'en')
    t.equal(await asked('ru'), 'ru')
    t.equal(await asked('ru-RU,ru;q=0.9,en;q=0.8'), 'ru')
    t.equal(await asked('en-GB,en;q=0.9,ru;q=0.8'), 'en')
    t.equal(await asked('de,fr;q=0.9'), 'en')
    t.equal(await asked('de,ru;q=0.5'), 'ru', 'the first that the cabinet speaks')
    t.equal(await asked('en;q=0.3, ru;q=0.9'), 'ru', 'the weights count, not the order')
    t.equal(await asked('*'), 'en')
    t.equal(await asked(';;,,q=;ru;'), await asked(';;,,q=;ru;'), 'nonsense is no error')
  })

  t.test('pages differ by it', async (t) => {
    const page = await newBrowser().get('/login', { 'accept-language': 'ru' })
    t.match(page.body, /[а-яё]{4,}/i)
  })

  t.test('the setting says it when the browser does not', async (t) => {
    const { newBrowser } = await startCabinet(t, { environment: { LANGUAGE: 'ru' } })
    t.equal(languageOf(await newBrowser().get('/login')), 'ru')
    t.equal(languageOf(await newBrowser().get('/login', { 'accept-language': 'de' })), 'ru')
    t.equal(languageOf(await newBrowser().get('/login', { 'accept-language': 'en' })), 'en')
  })

  t.test("the person's own choice counts most, in every browser", async (t) => {
    const maria = await as('maria')
    t.equal(languageOf(await maria.get('/', { 'accept-language': 'en' })), 'en')
    const answer = await maria.post('/preferences', { language: 'ru' }, { referer: 'http://localhost/dealers?q=a' })
    t.equal(answer.statusCode, 303)
    t.equal(answer.headers.location, '/dealers?q=a', 'back to where it was chosen')
    t.equal(languageOf(await maria.get('/', { 'accept-language': 'en' })), 'ru')
    const elsewhere = newBrowser()
    await signIn(elsewhere, emailOf('maria'))
    t.equal(languageOf(await elsewhere.get('/')), 'ru')
    await maria.post('/preferences', { language: 'en' })
    t.equal(languageOf(await maria.get('/', { 'accept-language': 'ru' })), 'en')
  })

  t.test('there is no other choice', async (t) => {
    const maria = await as('maria')
    for (const fields of [{ language: 'de' }, { theme: 'pink' }, {}] as Record<string, string>[]) {
      const before = db.select().from(users).where(eq(users.id, cast.maria)).get()
      t.equal((await maria.post('/preferences', fields)).statusCode, 422)
      t.same(db.select().from(users).where(eq(users.id, cast.maria)).get(), before)
    }
  })
})

t.test('theme', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const maria = await as('maria')
  const themeOf = async () => tagsOf((await maria.get('/')).body, 'html')[0]?.['data-bs-theme']
  t.equal(await themeOf(), undefined, 'the browser decides at first')
  for (const theme of ['dark', 'light']) {
    t.equal((await maria.post('/preferences', { theme })).statusCode, 303)
    t.equal(await themeOf(), theme)
  }
  await maria.get(`/impersonate/${cast.denis}`)
  await maria.post('/preferences', { theme: 'dark' })
  const stored = (id: number) => db.select().from(users).where(eq(users.id, id)).get()?.theme
  t.equal(stored(cast.maria), 'dark', 'it is the choice of who really sits there')
  t.equal(stored(cast.denis), null)
})

t.test('an impersonation', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const admin = await as('admin')
  grant(db, cast.denis, 'dealer_can_view', 'dealer_can_edit')
  await admin.get(`/impersonate/${cast.denis}`)
  await admin.post(`/dealers/edit/${cast.roman}`, { phone: '+7(999) 111 22 33' })
  const change = db.select().from(changes).where(eq(changes.record_id, cast.roman)).orderBy(desc(changes.id)).get()
  t.match(change, { actor_id: cast.denis, impersonator_id: cast.admin }, 'the history names both')
  t.equal(db.select().from(users).where(eq(users.id, cast.denis)).get()?.last_auth, null, 'it is no sign-in of the target')
})

t.test('housekeeping throws away what has run out, and nothing else', async (t) => {
  const { app, db, as } = await startCabinet(t)
  const [admin, clerk] = [await as('admin'), await as('clerk')]
  db.run(sql`update sessions set seen_at = seen_at - ${8 * day} where user_id = (select id from users where email = 'clerk@example.com')`)
  db.run(
    sql`insert into submissions (user_id, once, location, at) values (1, 'old', '/', ${Date.now() - 2 * day}), (1, 'new', '/', ${Date.now()})`,
  )
  deleteExpiredRows(app)
  t.equal((await admin.get('/')).statusCode, 200)
  t.equal((await clerk.get('/')).statusCode, 303)
  t.equal(db.get<{ left: number }>(sql`select count(*) as left from sessions`).left, 1)
  t.same(db.all(sql`select once from submissions`), [{ once: 'new' }])
})
