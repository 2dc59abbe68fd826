import argon2 from 'argon2'
import { eq } from 'drizzle-orm'
import fc from 'fast-check'
import t from 'tap'
import { sessions, signInFailures, users } from '../../src/database/schema/index.ts'
import { type Browser, type Cabinet, startCabinet } from '../support/cabinet.ts'
import { emailOf, password } from '../support/cast.ts'
import { fieldOf, isDocument, textsByRole } from '../support/html.ts'

const minute = 60_000

const signIn = (browser: Browser, email: string, word = password, more: Record<string, string> = {}) =>
  browser.post('/login', { email, password: word, ...more })

const sessionsOf = ({ db }: Cabinet, id: number) => db.select().from(sessions).where(eq(sessions.user_id, id)).all()

async function isSignedIn(browser: Browser): Promise<boolean> {
  return (await browser.get('/')).statusCode === 200
}

/** An account whose email another one has already: only the database's own hand can make it, or an administrator's card. */
async function duplicate({ db }: Cabinet, of: number, word: string, more: object = {}): Promise<number> {
  const { id, ...row } = db.select().from(users).where(eq(users.id, of)).get() as typeof users.$inferSelect
  const hash = await argon2.hash(word)
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

  t.test('the sign-in page asks for email and password and keeps the page to return to', async (t) => {
    const page = await newBrowser().get('/login?next=%2Fdealers%3Fq%3Da')
    t.equal(page.statusCode, 200)
    t.equal(fieldOf(page, 'password')?.type, 'password')
    t.equal(fieldOf(page, 'email')?.value, '')
    t.equal(fieldOf(page, 'next')?.value, '/dealers?q=a')
  })

  t.test('the right password signs in and records the time', async (t) => {
    const before = Date.now()
    const browser = newBrowser()
    const answer = await signIn(browser, emailOf('maria'))
    t.equal(answer.statusCode, 303)
    t.equal(answer.headers.location, '/')
    t.ok(await isSignedIn(browser))
    const { last_auth } = db.select().from(users).where(eq(users.id, cast.maria)).get() ?? {}
    t.ok(last_auth && last_auth >= before)
  })

  t.test('a wrong password, an unknown and an inactive account get the same answer (422)', async (t) => {
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

  t.test('emails are compared trimmed and ignoring case when signing in', async (t) => {
    for (const email of ['  MARIA@Example.COM ', 'Maria@example.com', '\tmaria@example.com'])
      t.equal((await signIn(newBrowser(), email)).statusCode, 303, email)
  })

  t.test('passwords are compared exactly', async (t) => {
    for (const word of [` ${password}`, `${password} `, password.toUpperCase()])
      t.equal((await signIn(newBrowser(), emailOf('maria'), word)).statusCode, 422, `"${word}"`)
  })

  t.test('of two accounts with one email, each password opens its own', async (t) => {
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

  t.test('a signed-in user is redirected from the sign-in page', async (t) => {
    const browser = newBrowser()
    await signIn(browser, emailOf('maria'))
    const answer = await browser.get('/login?next=/dealers')
    t.equal(answer.statusCode, 303)
    t.equal(answer.headers.location, '/dealers')
  })
})

t.test('the redirect after signing in', async (t) => {
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

  t.test('signing in redirects to the requested page of the cabinet', async (t) => {
    for (const next of inside) t.equal((await signIn(newBrowser(), emailOf('maria'), password, { next })).headers.location, next, next)
  })

  t.test('signing in never redirects to another site', async (t) => {
    for (const next of outside) {
      const { statusCode, headers } = await signIn(newBrowser(), emailOf('mikhail'), password, { next })
      const target = new URL(String(headers.location), 'http://cabinet.test')
      t.equal(statusCode, 303)
      t.equal(target.host, 'cabinet.test', `${JSON.stringify(next)} leads to ${headers.location}`)
    }
  })

  t.test('signing in never redirects to another site, whatever the address is made of', async (t) => {
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

t.test('too many sign-in attempts are refused', async (t) => {
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

  t.test('10 failures for one account from one address lock it (429)', async (t) => {
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

  t.test('100 failures for one account lock it (429)', async (t) => {
    const { attempt, failed } = await open()
    failed(99, (index) => ({ email: emailOf('denis'), address: `198.51.100.${index}` }))
    t.equal((await attempt(emailOf('denis'), '203.0.113.1')).statusCode, 422)
    t.equal((await attempt(emailOf('denis'), '203.0.113.2', password)).statusCode, 429)
    t.equal((await attempt(emailOf('maria'), '203.0.113.2', password)).statusCode, 303, 'another account is open')
  })

  t.test('50 failures from one address lock it (429)', async (t) => {
    const { attempt, failed, db } = await open()
    failed(49, (index) => ({ email: `guess${index}@example.com`, address: '198.51.100.1' }))
    t.equal((await attempt('guess@example.com', '198.51.100.1')).statusCode, 422)
    const refused = await attempt(emailOf('maria'), '198.51.100.1', password)
    t.equal(refused.statusCode, 429)
    t.ok(Number(refused.headers['retry-after']) <= 15 * 60)
    failed(100, (index) => ({ email: emailOf('denis'), address: `203.0.113.${index}` }))
    const ofDenis = eq(signInFailures.email, emailOf('denis'))
    db.update(signInFailures)
      .set({ at: Date.now() - 14 * minute })
      .where(ofDenis)
      .run()
    const longest = Number((await attempt(emailOf('denis'), '198.51.100.1')).headers['retry-after'])
    t.ok(longest > 13 * 60, `of two limits the one that lasts longer says when: ${longest}`)
    t.equal((await attempt(emailOf('maria'), '198.51.100.2', password)).statusCode, 303)
  })

  t.test('a successful sign-in is not counted as a failure, and forgives those of its own account only', async (t) => {
    const { attempt } = await open()
    for (let count = 0; count < 12; count++) t.equal((await attempt(emailOf('maria'), '198.51.100.1', password)).statusCode, 303)
    for (let count = 0; count < 9; count++) await attempt(emailOf('denis'), '198.51.100.1')
    t.equal((await attempt(emailOf('denis'), '198.51.100.1', password)).statusCode, 303)
    for (let count = 0; count < 10; count++) t.equal((await attempt(emailOf('denis'), '198.51.100.1')).statusCode, 422)
    t.equal((await attempt(emailOf('maria'), '198.51.100.1', password)).statusCode, 303)
    t.equal((await attempt(emailOf('denis'), '198.51.100.1', password)).statusCode, 429)
  })

  t.test('simultaneous sign-in attempts are counted', async (t) => {
    const { attempt } = await open()
    const answers = await Promise.all(Array.from({ length: 14 }, () => attempt(emailOf('denis'), '198.51.100.1')))
    t.equal(answers.filter(({ statusCode }) => statusCode === 429).length, 4)
  })

  t.test('without a trusted proxy, forwarded addresses are ignored', async (t) => {
    const { newBrowser } = await startCabinet(t)
    const attempt = (index: number) =>
      newBrowser().post('/login', { email: emailOf('denis'), password: 'a bad password' }, { 'x-forwarded-for': `198.51.100.${index}` })
    for (let count = 1; count <= 10; count++) await attempt(count)
    t.equal((await attempt(11)).statusCode, 429)
  })

  t.test('behind a proxy, only the address that the proxy adds counts', async (t) => {
    const { attempt } = await open()
    for (let count = 1; count <= 10; count++) await attempt(emailOf('denis'), `203.0.113.${count}, 198.51.100.1`)
    t.equal((await attempt(emailOf('denis'), '203.0.113.99, 198.51.100.1')).statusCode, 429)
  })
})
