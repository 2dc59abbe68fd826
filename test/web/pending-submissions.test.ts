import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { desc, eq, sql } from 'drizzle-orm'
import t from 'tap'
import { changes, companies, pendingSubmissions, sessions, stocks, uploads, users } from '../../src/database/schema/index.ts'
import { deleteExpiredRows } from '../../src/records/housekeeping.ts'
import { type Answer, type Browser, type Cabinet, encode, type Fields, htmx, startCabinet } from '../support/cabinet.ts'
import { emailOf, type Name, password, revoke } from '../support/cast.ts'
import { errorsOf, fieldOf, hiddenOf, textsByRole } from '../support/html.ts'

const hour = 3600_000
const day = 24 * hour
const urlencoded = { 'content-type': 'application/x-www-form-urlencoded' }

const signIn = (browser: Browser, name: Name, next = '') => browser.post('/login', { email: emailOf(name), password, next })

/** A cabinet and a browser in which this person was signed in until a moment ago. */
async function lapsed(name: Name, away = 12 * hour + 60_000) {
  const cabinet = await startCabinet(t)
  const browser = cabinet.newBrowser()
  await signIn(browser, name)
  const lapse = () =>
    cabinet.db
      .update(sessions)
      .set({ seen_at: sql`${sessions.seen_at} - ${away}` })
      .run()
  lapse()
  return { ...cabinet, browser, lapse, userOf: (id: number) => cabinet.db.select().from(users).where(eq(users.id, id)).get() }
}

/** What the sign-in page that somebody was led to shall lead on to. */
const nextOf = (answer: Answer) => new URL(String(answer.headers.location), 'http://localhost').searchParams.get('next') ?? ''

/** Signs in on the page that a refused form led to, and goes where that leads. */
async function goOn(browser: Browser, refused: Answer, name: Name): Promise<Answer> {
  const page = await browser.get(String(refused.headers.location ?? refused.headers['hx-redirect']))
  const answer = await signIn(browser, name, fieldOf(page, 'next')?.value)
  return browser.get(String(answer.headers.location))
}

const keptIn = ({ db }: Pick<Cabinet, 'db'>) => db.select().from(pendingSubmissions).all()

t.test('a form submitted after its session expired is continued after signing in again', async (t) => {
  const { browser, cast, db, userOf } = await lapsed('admin')
  const address = `/dealers/edit/${cast.denis}`
  const refused = await browser.post(address, { lastname: 'Updated', once: 'this-very-form', version: 1 })
  t.equal(refused.statusCode, 303)
  const page = await browser.get(String(refused.headers.location))
  t.equal(page.statusCode, 200)
  t.match(textsByRole(page, 'status').join(), 'your changes are kept for an hour')
  const failed = await browser.post('/login', { email: emailOf('admin'), password: 'wrong', next: nextOf(refused) })
  t.match(textsByRole(failed, 'status').join(), 'your changes are kept for an hour', 'a failed attempt does not lose it')
  t.equal(userOf(cast.denis)?.lastname, 'Denisov', 'nothing is done before')

  const answer = await goOn(browser, refused, 'admin')
  t.equal(answer.statusCode, 303)
  t.equal(answer.headers.location, address, 'as the form itself would have')
  t.equal(userOf(cast.denis)?.lastname, 'Updated')
  t.match(textsByRole(await browser.get(address), 'status').join(), 'Updated Denis saved')
  t.match(db.select().from(changes).orderBy(desc(changes.id)).get(), { actor_id: cast.admin, record_id: cast.denis, address: '127.0.0.1' })
  t.equal(db.select().from(sessions).all().length, 1, 'the dead session is gone')

  await browser.post(address, { lastname: 'Once more' })
  const again = await browser.get(nextOf(refused))
  t.equal(again.headers.location, '/')
  t.equal(userOf(cast.denis)?.lastname, 'Once more', 'it goes on once')
  t.match(textsByRole(await browser.get('/'), 'status').join(), 'unsaved changes have expired')
  t.same(keptIn({ db }), [])
})

t.test('a form that is continued behind a proxy is known by the address of its sender', async (t) => {
  const { db, cast, newBrowser } = await startCabinet(t, { environment: { TRUST_PROXY: 'on' } })
  const browser = newBrowser()
  await signIn(browser, 'admin')
  db.update(sessions)
    .set({ seen_at: sql`${sessions.seen_at} - ${13 * hour}` })
    .run()
  const path = nextOf(await browser.post(`/dealers/edit/${cast.denis}`, { lastname: 'Updated', version: 1 }))
  await signIn(browser, 'admin', path)
  await browser.get(path, { 'x-forwarded-for': '198.51.100.7' })
  t.match(db.select().from(changes).orderBy(desc(changes.id)).get(), { record_id: cast.denis, address: '198.51.100.7' })
})

t.test('a form with files submitted after its session expired is continued with its files', async (t) => {
  const { app, browser, cast, db } = await lapsed('maria')
  const alpha = cast.companies.alpha
  const form = new FormData()
  form.append('org', 'Alpha Doors')
  form.append('files', '')
  form.append('files[0][name]', 'Договор')
  form.append('files[0][file]', new File(['the content'], 'a.txt'))
  const body = new Response(form)
  const type = { 'content-type': body.headers.get('content-type') as string }
  const refused = await browser.send('POST', `/company/edit/${alpha}`, type, Buffer.from(await body.arrayBuffer()) as never)
  t.equal(refused.statusCode, 303)
  t.match(db.select().from(uploads).all(), [{ user_id: cast.maria }], 'stored already, as hers')
  const answer = await goOn(browser, refused, 'maria')
  t.equal(answer.headers.location, `/company/edit/${alpha}`)
  const [file] = db.select().from(companies).where(eq(companies.id, alpha)).get()?.files ?? []
  t.equal(file?.name, 'Договор')
  const key = String(file?.file)
  t.equal(readFileSync(join(app.config.dataDir, 'files', key.slice(0, 2), key), 'utf8'), 'the content')
})

t.test('an invalid picture in a form submitted after its session expired is refused as usual', async (t) => {
  const { browser, cast, userOf } = await lapsed('root')
  const form = new FormData()
  form.append('name', 'Renamed')
  form.append('image', new File(['no picture'], 'a.jpg'))
  const body = new Response(form)
  const type = { 'content-type': body.headers.get('content-type') as string }
  const refused = await browser.send('POST', `/managers/edit/${cast.maria}`, type, Buffer.from(await body.arrayBuffer()) as never)
  const answer = await goOn(browser, refused, 'root')
  t.equal(answer.statusCode, 415)
  t.ok(errorsOf(answer).image)
  t.equal(fieldOf(answer, 'name')?.value, 'Renamed', 'nothing typed is lost')
  t.equal(userOf(cast.maria)?.name, 'Maria')
})

t.test('a continued form is answered as if it had just been submitted', async (t) => {
  const { browser, cast, db, lapse, userOf, as } = await lapsed('admin')
  const address = `/dealers/edit/${cast.denis}`

  t.test('a continued form with invalid input is shown filled in (422), as often as it is opened', async (t) => {
    const refused = await browser.post(address, { lastname: '', phone: '11111 typed' })
    const answer = await goOn(browser, refused, 'admin')
    t.equal(answer.statusCode, 422)
    t.ok(errorsOf(answer).lastname)
    t.equal(fieldOf(answer, 'phone')?.value, '11111 typed')
    t.match(answer.body, `action="${address}"`)
    t.equal(fieldOf(await browser.get(nextOf(refused)), 'phone')?.value, '11111 typed')
    const russian = await browser.get(nextOf(refused), { 'accept-language': 'ru' })
    t.equal(errorsOf(russian).lastname, 'Введите фамилию.', 'in the language of the browser')
    lapse()
  })

  t.test("a continued form that conflicts with another user's change is 409", async (t) => {
    const version = Number(hiddenOf(await (await as('root')).get(address), 'version')[0])
    const refused = await browser.post(address, { name: 'Mine', version })
    await (await as('root')).post(address, { name: 'Theirs' })
    const answer = await goOn(browser, refused, 'admin')
    t.equal(answer.statusCode, 409)
    t.equal(fieldOf(answer, 'name')?.value, 'Mine')
    t.equal(userOf(cast.denis)?.name, 'Theirs')
    lapse()
  })

  t.test('a continued form is 403 when its sender has lost the right meanwhile', async (t) => {
    const refused = await browser.post(address, { name: 'Mine' })
    revoke(db, cast.admin, 'dealer_can_edit')
    t.equal((await goOn(browser, refused, 'admin')).statusCode, 403)
    t.equal(userOf(cast.denis)?.name, 'Theirs')
  })
})

t.test('a switch used by htmx after the session expired takes effect after signing in', async (t) => {
  const { browser, cast, userOf } = await lapsed('admin')
  const refused = await browser.post(`/dealers/${cast.denis}/active`, { value: 0 }, { ...htmx, referer: 'http://localhost/dealers?q=den' })
  t.equal(refused.statusCode, 401)
  t.equal(refused.body, '')
  const answer = await goOn(browser, refused, 'admin')
  t.equal(answer.statusCode, 303)
  t.equal(answer.headers.location, '/dealers?q=den')
  t.equal(userOf(cast.denis)?.active, false)
})

t.test('two forms submitted in one browser after the session expired are continued separately', async (t) => {
  const { browser, cast, userOf } = await lapsed('admin')
  const [first, second] = [
    await browser.post(`/dealers/edit/${cast.denis}`, { name: 'First' }),
    await browser.post(`/dealers/edit/${cast.roman}`, { name: 'Second' }),
  ]
  await goOn(browser, first, 'admin')
  t.same([userOf(cast.denis)?.name, userOf(cast.roman)?.name], ['First', 'Roman'])
  const page = await browser.get(String(second.headers.location))
  t.equal(page.headers.location, nextOf(second), 'already signed in, its page leads on')
  await browser.get(nextOf(second))
  t.equal(userOf(cast.roman)?.name, 'Second')
})

t.test('a pending submission opened several times at once is carried out once', async (t) => {
  const { browser, db } = await lapsed('root')
  const before = db.select().from(stocks).all().length
  const refused = await browser.post('/stocks/add', { name: 'One more stock' })
  await signIn(browser, 'root')
  const answers = await Promise.all([1, 2, 3].map(() => browser.get(nextOf(refused))))
  t.equal(answers.filter(({ headers }) => String(headers.location).startsWith('/stocks/')).length, 1)
  t.equal(answers.filter(({ headers }) => headers.location === '/').length, 2)
  t.equal(db.select().from(stocks).all().length, before + 1)
})

t.test('a pending submission is available to its sender only', async (t) => {
  const open = async () => {
    const cabinet = await lapsed('admin')
    const refused = await cabinet.browser.post(`/dealers/edit/${cabinet.cast.denis}`, {
      name: 'Secret words',
      phone: '11111 a secret phone',
    })
    const path = nextOf(refused)
    const untouched = () => t.equal(cabinet.userOf(cabinet.cast.denis)?.name, 'Denis')
    return { ...cabinet, refused, path, untouched }
  }

  t.test('another user who signs in in the same browser does not get the pending submission', async (t) => {
    const { browser, refused, untouched, path } = await open()
    const answer = await goOn(browser, refused, 'root')
    t.equal(answer.headers.location, '/')
    t.notMatch(answer.body + (await browser.get('/')).body, /secret/i)
    untouched()
    await signIn(browser, 'admin')
    t.equal((await browser.get(path)).headers.location, `/dealers/edit/${(await open()).cast.denis}`, 'it still waits for its sender')
  })

  t.test('the same user in another browser, or anybody who knows the address, does not get the pending submission', async (t) => {
    const { as, path, untouched } = await open()
    for (const name of ['admin', 'root', 'denis'] as const) t.equal((await (await as(name)).get(path)).headers.location, '/')
    untouched()
  })

  t.test('an impersonator of its sender does not get the pending submission', async (t) => {
    const { browser, cast, path, untouched } = await open()
    await signIn(browser, 'root')
    await browser.get(`/impersonate/${cast.admin}`)
    t.equal((await browser.get(path)).headers.location, '/')
    untouched()
  })

  t.test('a reader of the database cannot decrypt the pending submission', async (t) => {
    const { db, browser } = await open()
    await browser.post('/profile', { current_password: password, password: 'another password' })
    const rows = keptIn({ db })
    t.equal(rows.length, 2)
    for (const { sealed } of rows) t.notMatch(sealed.toString('latin1'), /secret|password|dealers|profile/i)
    t.notMatch(JSON.stringify(rows), [...browser.cookies.values()][0])
  })

  t.test('a pending submission is gone after an hour', async (t) => {
    const { app, db, browser, path, untouched } = await open()
    db.update(pendingSubmissions)
      .set({ at: Date.now() - hour - 1000 })
      .run()
    await signIn(browser, 'admin', path)
    t.equal((await browser.get(path)).headers.location, '/')
    untouched()
    deleteExpiredRows(app)
    t.same(keptIn({ db }), [])
  })

  t.test('another site or a prefetch cannot continue a pending submission (403)', async (t) => {
    const { browser, path, untouched } = await open()
    await signIn(browser, 'admin')
    for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { referer: 'https://evil.example/' }, { 'sec-purpose': 'prefetch' }])
      t.equal((await browser.get(path, headers as never)).statusCode, 403)
    t.equal((await browser.send('HEAD', path)).statusCode, 403)
    untouched()
  })

  t.test('a made-up header cannot continue a pending submission', async () => {
    const { as, cast, untouched } = await open()
    await (await as('admin')).post(`/dealers/edit/${cast.denis}`, {}, { 'x-resumed-form': 'made up' })
    untouched()
  })
})

t.test('a password change submitted after the session expired is carried out after signing in', async (t) => {
  const { browser, newBrowser } = await lapsed('maria')
  const refused = await browser.post('/profile', { current_password: password, password: 'another password' })
  t.equal((await goOn(browser, refused, 'maria')).headers.location, '/profile')
  t.equal((await browser.get('/profile')).statusCode, 200, 'she stays signed in')
  t.equal((await newBrowser().post('/login', { email: emailOf('maria'), password: 'another password' })).statusCode, 303)
})

t.test('submissions that are not saved', async (t) => {
  const notKept = async (cabinet: Pick<Cabinet, 'db'>, browser: Browser, path: string, fields: Fields, why: string, headers = {}) => {
    const answer = await browser.post(path, fields, headers)
    t.equal(answer.statusCode, 303, why)
    t.equal(answer.headers.location, '/login', why)
    t.same(keptIn(cabinet), [], why)
  }

  t.test('the form of a stranger, or of a session ended on purpose, is not saved', async (t) => {
    const cabinet = await startCabinet(t)
    const { cast, db, newBrowser, as } = cabinet
    const address = `/dealers/edit/${cast.denis}`
    await notKept(cabinet, newBrowser(), address, { name: 'x' }, 'a stranger')
    const browser = await as('admin')
    const cookies = [...browser.cookies]
    await browser.post('/logout')
    for (const [name, value] of cookies) browser.cookies.set(name, value)
    await notKept(cabinet, browser, address, { name: 'x' }, 'signed out')
    const away = newBrowser()
    await signIn(away, 'mikhail')
    db.update(sessions).set({ seen_at: 0 }).where(eq(sessions.user_id, cast.mikhail)).run()
    db.update(users).set({ active: false }).where(eq(users.id, cast.mikhail)).run()
    await notKept(cabinet, away, `/dealers/edit/${cast.daria}`, { name: 'x' }, 'switched off')
  })

  t.test('a form that its sender may not submit, or an empty one, is not saved', async () => {
    const cabinet = await lapsed('maria')
    const { browser, cast } = cabinet
    await notKept(cabinet, browser, `/admins/edit/${cast.admin}`, { name: 'x' }, 'no right')
    await notKept(cabinet, browser, `/dealers/edit/${cast.daria}`, { name: 'x' }, 'not hers')
    await notKept(cabinet, browser, '/dealers/edit/987654', { name: 'x' }, 'no such record')
    await notKept(cabinet, browser, '/nothing/like/that', { name: 'x' }, 'no such page')
    await notKept(cabinet, browser, '/impersonate/leave', {}, 'an empty form')
    await notKept(cabinet, browser, '/dealers/edit/1', { name: 'x' }, 'too much', { 'content-length': String(200 * 1024 ** 2) })
  })

  t.test('a form submitted while impersonating is not saved', async () => {
    const cabinet = await startCabinet(t)
    const { as, cast, db } = cabinet
    const maria = await as('maria')
    await maria.get(`/impersonate/${cast.denis}`)
    db.update(sessions)
      .set({ seen_at: 0 + Date.now() - day })
      .run()
    await notKept(cabinet, maria, '/profile', { name: 'x' }, 'impersonating')
  })

  t.test('at most five pending submissions are saved for a user', async (t) => {
    const { browser, cast, db } = await lapsed('admin')
    const address = `/dealers/edit/${cast.denis}`
    const answers = await Promise.all(Array.from({ length: 8 }, () => browser.post(address, { name: 'x' })))
    t.equal(answers.filter((answer) => nextOf(answer)).length, 5)
    t.equal(keptIn({ db }).length, 5)
  })

  t.test('a form submitted by another site is not saved (403)', async (t) => {
    const { browser, cast, db } = await lapsed('admin')
    for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }])
      t.equal((await browser.post(`/dealers/edit/${cast.denis}`, { name: 'x' }, headers as never)).statusCode, 403)
    t.same(keptIn({ db }), [])
  })

  t.test('a form whose body cannot be read is not saved', async (t) => {
    const { browser, cast, db } = await lapsed('admin')
    const broken = { 'content-type': 'multipart/form-data; boundary=x' }
    t.equal((await browser.send('POST', `/company/edit/${cast.companies.alpha}`, broken, '--x\r\nbroken')).statusCode, 400)
    const large = encode({ name: 'x'.repeat(3 * 1024 ** 2) })
    t.equal((await browser.send('POST', `/dealers/edit/${cast.denis}`, urlencoded, large)).statusCode, 413)
    t.same(keptIn({ db }), [])
  })
})

t.test('an expired session is recognized for a week', async (t) => {
  const late = await lapsed('admin', 6 * day)
  const refused = await late.browser.post(`/dealers/edit/${late.cast.denis}`, { name: 'After days' })
  await goOn(late.browser, refused, 'admin')
  t.equal(late.userOf(late.cast.denis)?.name, 'After days')
  const old = await startCabinet(t)
  const browser = await old.as('admin')
  old.db
    .update(sessions)
    .set({ created_at: Date.now() - 7 * day - 60_000 })
    .run()
  t.ok(nextOf(await browser.post(`/dealers/edit/${old.cast.denis}`, { name: 'x' })), 'after 7 days of work too')
})
