import { eq, inArray } from 'drizzle-orm'
import t from 'tap'
import { companies, securityEvents, sessions, users } from '../../src/database/schema/index.ts'
import { Authenticator } from '../support/authenticator.ts'
import { type Answer, type Cabinet, htmx, startCabinet } from '../support/cabinet.ts'
import { emailOf, password } from '../support/cast.ts'
import { fieldOf, hiddenOf, parseHtml, textOf, textsByRole } from '../support/html.ts'
import { later } from '../support/later.ts'
import { register } from '../support/passkeys.ts'

const grow = ({ db }: Cabinet) =>
  db
    .update(sessions)
    .set({ proved_at: Date.now() - 2 * 3600_000 })
    .run()
/** More companies than are deleted without the password. */
const insertMany = ({ db }: Cabinet) =>
  db
    .insert(companies)
    .values(Array.from({ length: 101 }, (_, index) => ({ org: `Many ${index}`, search: `many ${index}` })))
    .returning({ id: companies.id })
    .all()
    .map(({ id }) => id)

const emailOfUser = ({ db }: Cabinet, id: number) => db.select().from(users).where(eq(users.id, id)).get()?.email

t.test('a sensitive change asks for the password when it was last entered long ago, and then goes on', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast } = cabinet
  const root = await as('root')
  grow(cabinet)
  const fields = { email: 'fresh@example.com', phone: '+7(999) 123 45 67' }
  const asked = await root.post(`/managers/edit/${cast.plain}`, fields)
  t.match(asked.headers.location, /^\/confirm-identity\?next=%2Fresume%2F\d+$/)
  t.equal(emailOfUser(cabinet, cast.plain), 'plain@example.com', 'nothing was saved')
  const next = new URLSearchParams(String(asked.headers.location).split('?')[1]).get('next') as string
  t.equal((await root.post('/confirm-identity', { password: 'wrong', next })).statusCode, 422)
  t.equal((await root.post('/confirm-identity', { password, next })).headers.location, next)
  await root.get(next)
  t.equal(emailOfUser(cabinet, cast.plain), 'fresh@example.com')
  t.equal(
    (await root.post(`/managers/edit/${cast.plain}`, { email: 'again@example.com' })).headers.location,
    `/managers/edit/${cast.plain}`,
  )
})

t.test('ordinary changes, rights of managers and impersonation do not ask for the password again', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast } = cabinet
  const root = await as('root')
  grow(cabinet)
  t.equal((await root.post(`/managers/edit/${cast.plain}`, { name: 'Pyotr' })).headers.location, `/managers/edit/${cast.plain}`)
  t.equal((await root.post(`/managers/edit/${cast.plain}/rights/news_can_view`, { value: '1' })).statusCode, 303)
  for (const action of ['/profile/factor', '/profile/factor/codes', '/profile/factor/remove', `/managers/edit/${cast.plain}/factor/reset`])
    t.match((await root.post(action, { code: '1' })).headers.location, /^\/confirm-identity/, action)
  t.match((await root.post(`/admins/edit/${cast.admin}`, { superadmin: '1' })).headers.location, /^\/confirm-identity/)

  const ids = insertMany(cabinet)
  t.match((await root.post('/companies/delete', { id: ids })).headers.location, /^\/confirm-identity/)
  t.equal((await root.post('/companies/delete', { id: ids.slice(0, 100) })).headers.location, '/companies')
  t.equal((await root.get(`/impersonate/${cast.admin}`)).headers.location, '/')
})

t.test('a form that was kept goes on only in the name in which it was sent', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  const root = await as('root')
  const ids = insertMany(cabinet)
  const left = () => db.select().from(companies).where(inArray(companies.id, ids)).all().length
  const keep = async () => {
    grow(cabinet)
    const asked = await root.post('/companies/delete', { id: ids })
    return new URLSearchParams(String(asked.headers.location).split('?')[1]).get('next') as string
  }
  await root.get(`/impersonate/${cast.admin}`)
  const ofAdmin = await keep()
  await root.post('/impersonate/leave')
  const own = await keep()
  await root.post('/confirm-identity', { password, next: '/' })
  t.equal((await root.get(ofAdmin)).headers.location, '/', 'not in one’s own')
  await root.get(`/impersonate/${cast.admin}`)
  t.equal((await root.get(own)).headers.location, '/', 'nor in that of somebody else')
  t.equal(left(), 101)
  await root.get(ofAdmin)
  t.equal(left(), 0)
})

t.test("common passwords and those containing the user's name or email are refused (422)", async (t) => {
  const { as, cast } = await startCabinet(t)
  const root = await as('root')
  const answer = async (password: string, names = {}) => (await root.post(`/dealers/edit/${cast.denis}`, { ...names, password })).statusCode
  for (const weak of [
    'password1',
    'iloveyou1',
    'ILoveYou1',
    'Denisov1990',
    'denis-denisov',
    'denis@example.com',
    'short',
    'denis-abc-1990',
  ])
    t.equal(await answer(weak), 422, weak)
  t.equal(await answer('denis likes trains'), 303)
  t.equal(await answer('denis-abcd-1990'), 303, 'four letters of its own')
  t.equal(await answer('denisovich-1990', { lastname: 'Denisovich' }), 422, 'a name within a longer one')
  t.equal(await answer('lea-1990-2026', { middlename: 'Lea' }), 422, 'a name of three letters')
  t.equal(await answer('li-1990-2026', { middlename: 'Li' }), 303, 'two letters are in many words')
})

t.test('the password counts for a quarter of an hour, in the session where it was given and in no other', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, newBrowser } = cabinet
  const [here, there] = [await as('root'), newBrowser()]
  await there.post('/login', { email: emailOf('root'), password })
  await register(here, new Authenticator())
  const path = `/managers/edit/${cast.plain}`
  const asked = async (browser: typeof here, email: string) =>
    String((await browser.post(path, { email })).headers.location).startsWith('/confirm-identity')
  await later(14 * 60_000, async () => t.notOk(await asked(here, 'first@example.com')))
  await later(16 * 60_000, async () => {
    t.ok(await asked(here, 'second@example.com'))
    const page = await here.get('/confirm-identity?next=/managers')
    t.match(textOf(page.body), 'Enter your password to continue where you left off.')
    t.equal(fieldOf(page, 'email')?.value, emailOf('root'))
    t.same(hiddenOf(page, 'next'), ['/managers', '/managers'], 'with the password and with a passkey alike')
    const refused = await here.post('/confirm-identity', { password: 'a wrong one', next: '/managers' })
    t.equal(refused.statusCode, 422)
    t.same(textsByRole(refused, 'alert'), ['Wrong current password.'])
    t.equal(fieldOf(refused, 'next')?.value, '/managers')
    t.ok(await asked(here, 'second@example.com'), 'a wrong password counts for nothing')
    t.equal((await here.post('/confirm-identity', { password, next: '//evil.example' })).headers.location, '/')
    t.notOk(await asked(here, 'second@example.com'))
    t.ok(await asked(there, 'third@example.com'), 'in the other session it was given long ago')
  })
  t.equal(emailOfUser(cabinet, cast.plain), 'second@example.com')
})

t.test('whoever signs out their other sessions is told, and the log knows how many', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db, newBrowser } = cabinet
  const denis = await as('denis')
  const others = [newBrowser(), newBrowser()]
  for (const browser of others) await browser.post('/login', { email: emailOf('denis'), password })
  const daria = await as('daria')
  await denis.post('/profile/sessions/end', { others: 1 })
  t.same(textsByRole(await denis.get('/profile?tab=sessions'), 'status').slice(0, 1), ['Other sessions signed out'])
  for (const browser of others) t.equal((await browser.get('/')).statusCode, 303)
  t.equal((await daria.get('/')).statusCode, 200, 'nobody else is signed out')
  t.match(db.select().from(securityEvents).where(eq(securityEvents.event, 'sessions-ended')).all(), [
    { user_id: cast.denis, actor_id: cast.denis, detail: '2' },
  ])
  const [third = denis] = others
  await third.post('/login', { email: emailOf('denis'), password })
  const id = db.select().from(sessions).where(eq(sessions.user_id, cast.denis)).all().at(-1)?.id as number
  await denis.post('/profile/sessions/end', { id })
  t.same(textsByRole(await denis.get('/profile?tab=sessions'), 'status').slice(0, 1), ['Session signed out'])
  t.equal((await third.get('/')).statusCode, 303)
})

t.test('a change sent by a script is led to the page that asks as a whole, and goes on from there', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast } = cabinet
  const root = await as('root')
  grow(cabinet)
  const asked = await root.post(`/managers/edit/${cast.plain}`, { email: 'fresh@example.com' }, htmx)
  t.equal(asked.statusCode, 401)
  t.equal(asked.body, '', 'nothing lands inside the page')
  const next = /^\/confirm-identity\?next=(%2Fresume%2F\d+)$/.exec(String(asked.headers['hx-redirect']))?.[1]
  t.ok(next, 'the browser opens the page that asks')
  t.equal(emailOfUser(cabinet, cast.plain), emailOf('plain'), 'nothing was saved')
  const path = decodeURIComponent(next as string)
  t.equal((await root.post('/confirm-identity', { password, next: path })).headers.location, path)
  await root.get(path)
  t.equal(emailOfUser(cabinet, cast.plain), 'fresh@example.com')
})

t.test('a button without fields leads back to the page on which it was pressed', async (t) => {
  const cabinet = await startCabinet(t)
  const root = await cabinet.as('root')
  grow(cabinet)
  const referer = 'http://localhost/profile?tab=security'
  const asked = await root.post('/profile/factor/remove', {}, { referer })
  t.equal(asked.headers.location, `/confirm-identity?next=${encodeURIComponent('/profile?tab=security')}`)
  t.equal((await root.post('/profile/factor/remove')).headers.location, '/confirm-identity?next=', 'wherever that was')
  t.equal((await root.post('/confirm-identity', { password, next: '' })).headers.location, '/')
})

t.test('the page that asks for the password offers a passkey only to who has one, and names the error at its field', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast } = cabinet
  const root = await as('root')
  const read = async (answer: Answer) => {
    const $ = parseHtml(answer.body)
    const field = $('#password')
    return {
      title: $('h1').text(),
      name: field.attr('name'),
      type: field.attr('type'),
      filled: field.attr('autocomplete'),
      invalid: field.attr('aria-invalid'),
      error: $(`[id="${field.attr('aria-describedby')}"]`)
        .text()
        .trim(),
      email: $('input[name=email]').attr('value'),
      actions: $('.sign-in form')
        .toArray()
        .map(({ attribs }) => attribs.action),
      passkeys: $('.passkey-sign-in').length,
      buttons: $('.sign-in button')
        .toArray()
        .map((button) => $(button).text().trim()),
    }
  }
  const asked = {
    ...{ title: 'Confirm your identity', name: 'password', type: 'password', filled: 'current-password' },
    ...{ invalid: undefined, error: '', email: emailOf('root') },
    ...{ actions: ['/confirm-identity'], passkeys: 0, buttons: ['Continue'] },
  }
  t.same(await read(await root.get('/confirm-identity?next=/managers')), asked, 'with a password alone')
  t.same(
    await read(await root.post('/confirm-identity', { password: 'wrong', next: '/managers' })),
    { ...asked, invalid: 'true', error: 'Wrong current password.' },
    'after a wrong one',
  )
  await register(root, new Authenticator())
  const both = { ...asked, actions: ['/confirm-identity', undefined], passkeys: 1, buttons: ['Continue', 'Use a passkey'] }
  t.same(await read(await root.get('/confirm-identity')), both, 'with a passkey')
  await root.get(`/impersonate/${cast.admin}`)
  t.same(await read(await root.get('/confirm-identity')), asked, 'in the name of another it asks for one’s own password')
})
