import argon2 from 'argon2'
import { desc, eq } from 'drizzle-orm'
import t from 'tap'
import type { Database } from '../../src/database/open.ts'
import { changes, sessions, users } from '../../src/database/schema/index.ts'
import { formatDateTime } from '../../src/i18n/format.ts'
import { testBadBodies } from '../support/bad-input.ts'
import { type Answer, type Browser, type Cabinet, htmx, startCabinet } from '../support/cabinet.ts'
import { emailOf, type Name, names, password } from '../support/cast.ts'
import { userOf } from '../support/dealers.ts'
import { controlsOf, elementById, errorsOf, hiddenOf, isDocument, parseHtml, rowsOf, textOf, textsByRole } from '../support/html.ts'

const own = ['lastname', 'name', 'middlename', 'phone', 'tg_id', 'language', 'theme']

const strict = await startCabinet(t)

/** A field of the form; the menu of the person has buttons of the same names. */
const fieldOf = (answer: Answer, name: string) => controlsOf(elementById(answer, 'profile-card') ?? '').find((one) => one.name === name)

/** Signs somebody in on one more browser. */
async function another({ newBrowser }: Cabinet, name: Name) {
  const browser = newBrowser()
  await browser.post('/login', { email: emailOf(name), password })
  return browser
}

const lastChange = (db: Database, id: number) =>
  db.select().from(changes).where(eq(changes.record_id, id)).orderBy(desc(changes.id)).get() as typeof changes.$inferSelect

t.test('users of every group open and save their profile', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  for (const name of names.filter((one) => one !== 'ivan')) {
    const browser = await as(name)
    const page = await browser.get('/profile')
    t.equal(page.statusCode, 200, name)
    t.ok(isDocument(page))
    for (const field of own) t.match(fieldOf(page, field), { disabled: false }, `${name} is offered ${field}`)
    t.equal(fieldOf(page, 'lastname')?.value, userOf({ db }, cast[name]).lastname)
    const fields = { lastname: 'Ёлкин', name: 'Пётр', middlename: 'Ильич', phone: '+7(999) 111 22 33', tg_id: `tg-${name}` }
    t.equal((await browser.post('/profile', fields)).statusCode, 303)
    t.match(userOf({ db }, cast[name]), fields)
  }
})

t.test('the profile is in the user menu and shows role and company', async (t) => {
  const { as } = await startCabinet(t)
  const roles: [Name, string, string?][] = [
    ['clerk', 'Administrator'],
    ['maria', 'Manager'],
    ['denis', 'Dealer', 'Alpha Windows'],
    ['pavel', 'Production user'],
  ]
  for (const [name, role, company] of roles) {
    const browser = await as(name)
    t.match((await browser.get('/')).body, 'href="/profile"')
    const card = textOf(elementById(await browser.get('/profile'), 'profile-card') as string)
    t.match(card, `Email ${emailOf(name)} Role ${role}`)
    t.equal(card.includes(`Company ${company ?? ''}`), company !== undefined, name)
  }
  const fragment = await (await as('clerk')).get('/profile', htmx)
  t.notOk(isDocument(fragment), 'htmx gets the card alone')
  t.match(fragment.body, 'id="profile-card"')
})

t.test("the profile offers fixed languages and themes, including the browser's own", async (t) => {
  const { as } = await startCabinet(t)
  const clerk = await as('clerk')
  const choices = async (name: string) => fieldOf(await clerk.get('/profile'), name)?.options.map(({ value, text }) => [value, text])
  t.same(await choices('language'), [
    ['', 'Browser default'],
    ['en', 'English'],
    ['ru', 'Русский'],
  ])
  t.same(await choices('theme'), [
    ['', 'Match system'],
    ['light', 'Light'],
    ['dark', 'Dark'],
  ])
  await clerk.post('/profile', { language: 'ru', theme: 'dark' })
  t.same(await choices('theme'), [
    ['', 'Как в системе'],
    ['light', 'Светлая'],
    ['dark', 'Тёмная'],
  ])
  t.equal(fieldOf(await clerk.get('/profile'), 'theme')?.value, 'dark')
})

t.test('visitors who are not signed in cannot open the profile', async (t) => {
  const { newBrowser } = await startCabinet(t)
  t.equal((await newBrowser().get('/profile')).statusCode, 303)
  t.equal((await newBrowser().post('/profile', { name: 'x' })).statusCode, 303)
})

t.test('lists find a user by the name changed on the profile', async (t) => {
  const { as } = await startCabinet(t)
  await (await as('maria')).post('/profile', { lastname: 'Ёжикова' })
  await (await as('denis')).post('/profile', { lastname: 'Щукин', tg_id: 'pike' })
  const root = await as('root')
  t.match((await root.get('/managers?q=ежик', htmx)).body, 'data-total="1"')
  t.match((await root.get('/dealers?q=щук pike', htmx)).body, 'data-total="1"')
  t.match((await root.get('/dealers?q=denis@', htmx)).body, 'data-total="1"', 'and the dealers by email')
})

t.test('the profile changes no rights, group or email', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const before = userOf({ db }, cast.clerk)
  await (await as('clerk')).post('/profile', {
    name: 'Klara',
    email: 'root@example.com',
    superadmin: 1,
    group_id: 2,
    active: 0,
    company_id: 1,
  })
  t.match(userOf({ db }, cast.clerk), { email: before.email, superadmin: false, group_id: 1, active: true, company_id: null })
})

t.test('invalid profile fields are marked and nothing is saved (422)', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const clerk = await as('clerk')
  const before = userOf({ db }, cast.clerk)
  const bad: [string, string, string][] = [
    ['lastname', ' ', 'lastname'],
    ['name', 'x'.repeat(256), 'name'],
    ['language', 'fr', 'language'],
    ['language', 'constructor', 'language'],
    ['theme', 'pink', 'theme'],
    ['language', ' en', 'language'],
    ['name', 'a\u0000b', 'name'],
    ['phone', 'x'.repeat(256), 'phone'],
    ['tg_id', 'x'.repeat(256), 'tg_id'],
    ['password', '1234567', 'password'],
    ['password', 'x'.repeat(257), 'password'],
  ]
  for (const [field, value, wrong] of bad) {
    const answer = await clerk.post('/profile', { middlename: 'typed', [field]: value, current_password: password })
    t.equal(answer.statusCode, 422, `${field}=${value.slice(0, 12)}`)
    t.same(Object.keys(errorsOf(answer)), [wrong])
    if (!wrong.includes('password')) t.equal(fieldOf(answer, 'middlename')?.value, 'typed')
    t.equal(textsByRole(answer, 'alert').length, 0, 'once')
  }
  for (const field of own)
    t.match(errorsOf(await clerk.post('/profile', { [field]: ['abcdefgh', 'abcdefgi'] })), { [field]: /more than once/ })
  t.same(userOf({ db }, cast.clerk), { ...before, last_auth: userOf({ db }, cast.clerk).last_auth })
})

testBadBodies(t, {
  browser: () => strict.as('clerk'),
  path: '/profile',
  required: 'lastname',
  unchanged: () => strict.db.select({ name: users.lastname }).from(users).all(),
})

t.test('language and theme apply from the next page on, and an empty choice follows the browser', async (t) => {
  const { as } = await startCabinet(t)
  const clerk = await as('clerk')
  await clerk.post('/profile', { language: 'ru', theme: 'dark' })
  t.same(textsByRole(await clerk.get('/profile'), 'status').slice(0, 1), ['Сохранено: Clerkova Klara'], 'the very next page speaks it')
  t.same(parseHtml((await clerk.get('/')).body)('html').attr(), { lang: 'ru', 'data-bs-theme': 'dark' })
  await clerk.post('/profile', { language: '', theme: '' })
  t.same(parseHtml((await clerk.get('/', { 'accept-language': 'en' })).body)('html').attr(), { lang: 'en' })
})

t.test('passwords are changed under Security, where both are looked at together', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const clerk = await as('clerk')
  const before = userOf({ db }, cast.clerk)
  t.equal(fieldOf(await clerk.get('/profile'), 'password'), undefined)
  const tab = '/profile?tab=security'
  t.match(fieldOf(await clerk.get(tab), 'password'), { disabled: false })
  const wrong = await clerk.post(tab, { current_password: 'wrong', password: 'short' })
  t.equal(wrong.statusCode, 422)
  t.match(errorsOf(wrong), { current_password: 'Wrong current password.', password: /8 to 256/ })
  t.same(errorsOf(await clerk.post(tab, { current_password: password, password: '' })), { password: 'Enter a password.' })
  t.same(userOf({ db }, cast.clerk), before)
  const changed = await clerk.post(tab, { current_password: password, password: 'another password' })
  t.match(changed, { statusCode: 303, headers: { location: tab } })
  t.match(textsByRole(await clerk.get(tab), 'status').join(), 'Password changed')
})

t.test('changing the password on the profile needs the current one (422)', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const clerk = await as('clerk')
  const before = userOf({ db }, cast.clerk)
  const refused = async (fields: Record<string, string>, message: RegExp) => {
    const answer = await clerk.post('/profile', fields)
    t.equal(answer.statusCode, 422)
    t.same(Object.keys(errorsOf(answer)), ['current_password'])
    t.match(errorsOf(answer).current_password, message)
    t.ok(fieldOf(answer, 'current_password'), 'where passwords are changed')
    for (const word of ['another password', 'wrong password']) t.notMatch(answer.body, word, 'but for the passwords')
  }
  for (const current_password of ['', 'wrong password'])
    await refused(
      { name: 'Klavdia', current_password, password: 'another password' },
      current_password ? /^Wrong current password\.$/ : /^Enter your current password\.$/,
    )
  await refused({ name: 'Klavdia', password: 'another password' }, /^Enter your current password\.$/)
  for (const own of ['Clerkova-2026', 'klara12345', 'clerk@example.com']) {
    const answer = await clerk.post('/profile', { current_password: password, password: own })
    t.equal(answer.statusCode, 422, own)
    t.same(errorsOf(answer), { password: 'Do not base the password on a name or email.' }, 'whether the form names it or not')
  }
  t.same(userOf({ db }, cast.clerk), before, 'nothing else is saved either')
  t.equal((await clerk.get('/profile')).statusCode, 200, 'and nobody signed out')
  t.equal((await clerk.post('/profile', { current_password: 'wrong', password: '', name: 'Klavdia' })).statusCode, 303)
  t.match(userOf({ db }, cast.clerk), { name: 'Klavdia', password: before.password }, 'without a new one the present one is not looked at')
})

t.test('changing the password ends every other session and every impersonation, but not this session', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db, newBrowser } = cabinet
  const [here, there, root] = [await as('denis'), await another(cabinet, 'denis'), await as('root')]
  await root.get(`/impersonate/${cast.denis}`)
  const answer = await here.post('/profile', { current_password: password, password: 'another password' })
  t.equal(answer.statusCode, 303)
  t.equal(textsByRole(await here.get('/profile'), 'status')[0], 'Denisov Denis saved')
  t.match(await there.get('/profile'), { statusCode: 303, headers: { location: /\/login/ } })
  t.equal((await root.get('/profile')).statusCode, 303, 'the impersonation has ended')
  t.notMatch((await root.get('/')).body, 'id="impersonation"')
  t.equal((await newBrowser().post('/login', { email: emailOf('denis'), password })).statusCode, 422)
  t.equal((await newBrowser().post('/login', { email: emailOf('denis'), password: 'another password' })).statusCode, 303)
  const { fields, actor_id } = lastChange(db, cast.denis)
  t.same({ fields, actor_id }, { fields: { password: [null, null] }, actor_id: cast.denis }, 'the history knows that, not what')
})

t.test('changing the password does not change the time of the last sign-in', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const clerk = await as('clerk')
  const { last_auth } = userOf({ db }, cast.clerk)
  await clerk.post('/profile', { current_password: password, password: 'another password', name: 'Klava' })
  t.equal(userOf({ db }, cast.clerk).last_auth, last_auth)
})

t.test("an impersonator sees the target's profile without password and preferences, and cannot change these (403)", async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const root = await as('root')
  await root.get(`/impersonate/${cast.denis}`)
  const page = (await root.get('/profile')).body
  t.match(page, 'value="Denisov"')
  for (const name of ['password', 'current_password', 'language', 'theme', 'tg_id', 'mail_statuses']) t.notMatch(page, `id="${name}"`)
  const before = [userOf({ db }, cast.denis), userOf({ db }, cast.root)]
  const { mail_statuses } = userOf({ db }, cast.denis)
  const own = { tg_id: '12345', mail_statuses: mail_statuses ? 0 : 1 }
  const closed = { language: 'ru', theme: 'dark', password: 'another password', current_password: password, ...own }
  for (const [name, value] of Object.entries(closed))
    t.equal((await root.post('/profile', { name: 'Dennis', [name]: value })).statusCode, 403, name)
  t.same([userOf({ db }, cast.denis), userOf({ db }, cast.root)], before)
  const present = { language: '', theme: '', password: '', current_password: '' }
  t.equal((await root.post('/profile', { name: 'Dennis', ...present })).statusCode, 303, 'naming what is there changes nothing')
  t.match(userOf({ db }, cast.denis), { name: 'Dennis', language: null, password: before[0]?.password })
  t.same(userOf({ db }, cast.root), before[1], 'nor does the person behind it change')
  t.match(lastChange(db, cast.denis), { actor_id: cast.denis, impersonator_id: cast.root, fields: { name: ['Denis', 'Dennis'] } })
})

t.test('two saves of a profile: different fields are merged, the same field is a conflict (409)', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const clerk = await as('clerk')
  const { version } = userOf({ db }, cast.clerk)
  await clerk.post('/profile', { version, phone: '11111' })
  t.equal((await clerk.post('/profile', { version, phone: '', tg_id: 'second' })).statusCode, 303)
  t.match(userOf({ db }, cast.clerk), { phone: '11111', tg_id: 'second' })
  const clash = await clerk.post('/profile', { version, phone: '33333' })
  t.equal(clash.statusCode, 409)
  t.match(clash.body, 'value="33333"')
  t.match(textOf(clash.body), /33333 .*11111/, 'both versions side by side')
  t.equal(userOf({ db }, cast.clerk).phone, '11111')
})

t.test('a user is told what others changed on their profile meanwhile', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const clerk = await as('clerk')
  const { version } = userOf({ db }, cast.clerk)
  await (await as('root')).post(`/admins/edit/${cast.clerk}`, { email: 'klara@example.com', position: 'Clerk' })
  await clerk.post('/profile', { version, name: 'Klavdia' })
  t.match(
    textsByRole(await clerk.get('/profile'), 'status')[0],
    'Clerkova Klavdia saved. Someone else also updated: Email. Both sets of changes were kept.',
  )
  await clerk.post('/profile', { version, language: 'en' })
  const clash = await clerk.post('/profile', { version, language: 'ru' })
  t.equal(clash.statusCode, 409)
  t.match(textOf(clash.body), 'Language Русский English')
})

t.test('a profile form submitted twice is saved once', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const clerk = await as('clerk')
  const [once = ''] = hiddenOf(await clerk.get('/profile'), 'once')
  const { version } = userOf({ db }, cast.clerk)
  for (const name of ['First', 'First'])
    t.match(await clerk.post('/profile', { once, name }), { statusCode: 303, headers: { location: '/profile' } })
  t.equal((await clerk.post('/profile', { once, name: 'Second' })).statusCode, 409)
  t.match(userOf({ db }, cast.clerk), { name: 'First', version: version + 1 })
})

t.test('of two password changes at once only one succeeds', async (t) => {
  const cabinet = await startCabinet(t)
  const [here, there] = [await cabinet.as('denis'), await another(cabinet, 'denis')]
  const change = (browser: typeof here, word: string) => browser.post('/profile', { current_password: password, password: word })
  const answers = await Promise.all([change(here, 'the first new one'), change(there, 'the second new one')])
  const saved = answers.filter(({ statusCode, headers }) => statusCode === 303 && headers.location === '/profile')
  t.equal(saved.length, 1, 'the other is asked to sign in again, or that its current password is wrong')
  const { password: hash } = userOf(cabinet, cabinet.cast.denis)
  const first = saved[0] === answers[0]
  t.ok(await argon2.verify(hash, first ? 'the first new one' : 'the second new one'))
})

t.test('the sessions of a user', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db, newBrowser } = cabinet
  const agents = {
    phone:
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1',
    desk: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36 Edg/130.0.0.0',
    script: '<b>curl</b>',
  }
  const signedIn = async (agent: string, name: Name = 'maria') => {
    const browser = newBrowser()
    await browser.post('/login', { email: emailOf(name), password }, { 'user-agent': agent })
    return browser
  }
  const list = async (browser: Browser) => rowsOf(await browser.get('/profile?tab=sessions'), 'sessions')
  const isIn = async (browser: Browser) => (await browser.get('/')).statusCode === 200

  t.test("a user's sessions are listed with browser, address and time, the current one marked", async (t) => {
    const [phone, script] = [await signedIn(agents.phone), await signedIn(agents.script)]
    const desk = await signedIn(agents.desk)
    await as('mikhail')
    const stale = await signedIn(agents.phone)
    db.update(sessions)
      .set({ seen_at: 0 })
      .where(eq(sessions.id, (await list(stale)).at(0)?.id as number))
      .run()
    await phone.get(`/impersonate/${cast.denis}`)
    const rows = await list(desk)
    t.same(
      rows.map(({ cells }) => cells.browser),
      ['Edge · Windows This session', 'Unknown browser', 'Safari · iPhone signed in as Denisov Denis'],
    )
    t.match((await list(script))[0]?.cells, { browser: 'Unknown browser This session' }, 'it comes first, whatever was seen since')
    t.match(rows[0]?.cells, { address: '127.0.0.1', created_at: 'now', seen_at: 'now', actions: '' })
    const phones = rows[2]?.id as number
    t.equal(parseHtml(rows[2]?.html ?? '')('button').attr('aria-label'), 'Sign out: Safari · iPhone, 127.0.0.1')
    const came = Date.now() - 3 * 24 * 3600_000
    db.update(sessions).set({ created_at: came }).where(eq(sessions.id, phones)).run()
    const older = (await list(desk)).find(({ id }) => id === phones)
    t.match(older?.cells, { created_at: /^3\sdays ago$/, seen_at: 'now' })
    t.equal(parseHtml(older?.html ?? '')('[data-col=created_at]').attr('title'), formatDateTime(came))
    const active = Date.now() - 2 * 3600_000
    db.update(sessions).set({ seen_at: active }).where(eq(sessions.id, phones)).run()
    const idle = (await list(desk)).find(({ id }) => id === phones)
    t.match(idle?.cells, { created_at: /^3\sdays ago$/, seen_at: /ago|yesterday/ }, 'last active later than signed in')
    t.equal(parseHtml(idle?.html ?? '')('[data-col=seen_at]').attr('title'), formatDateTime(active))
    t.match((await desk.get('/profile')).body, 'href="/profile?tab=sessions"')
    t.equal((await script.get('/profile?tab=sessions', htmx)).body.includes('<b>curl'), false)
  })

  t.test('a user ends one session, or all but the current one', async (t) => {
    await (await signedIn(agents.desk)).post('/profile/sessions/end', { others: 1 })
    const [here, phone, script] = [await signedIn(agents.desk), await signedIn(agents.phone), await signedIn(agents.script)]
    const rows = await list(here)
    t.equal(rows.length, 4)
    const id = rows.find(({ cells }) => cells.browser?.includes('iPhone'))?.id as number
    const answer = await here.post('/profile/sessions/end', { id })
    t.equal(answer.statusCode, 303)
    t.equal(answer.headers.location, '/profile?tab=sessions')
    t.same([await isIn(phone), await isIn(script), await isIn(here)], [false, true, true])
    t.equal((await here.post('/profile/sessions/end', { id })).statusCode, 404, 'it is gone')
    for (const fields of [{}, { id: 'x' }, { id: '' }, { others: 0 }])
      t.equal((await here.post('/profile/sessions/end', fields as never)).statusCode, 422)
    t.equal((await here.post('/profile/sessions/end', { others: 1 })).statusCode, 303)
    t.same([await isIn(script), await isIn(here)], [false, true])
    t.equal((await list(here)).length, 1)
    t.notMatch((await here.get('/profile?tab=sessions')).body, 'name="others"')
  })

  t.test("nobody sees or ends another user's sessions, not even an impersonator", async (t) => {
    const maria = await signedIn(agents.desk)
    const denis = await signedIn(agents.desk, 'denis')
    const id = (await list(denis))[0]?.id as number
    t.equal((await maria.post('/profile/sessions/end', { id })).statusCode, 404)
    await maria.get(`/impersonate/${cast.denis}`)
    t.equal((await maria.get('/profile?tab=sessions')).statusCode, 403)
    t.notMatch((await maria.get('/profile')).body, 'tab=sessions')
    for (const fields of [{ id }, { others: 1 }]) t.equal((await maria.post('/profile/sessions/end', fields as never)).statusCode, 403)
    t.ok(await isIn(denis))
  })
})
