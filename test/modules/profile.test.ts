import { desc, eq } from 'drizzle-orm'
import t from 'tap'
import type { Database } from '../../src/database/open.ts'
import { changes, users } from '../../src/database/schema/index.ts'
import { type Cabinet, htmx, startCabinet } from '../support/cabinet.ts'
import { emailOf, type Name, password } from '../support/cast.ts'

const userOf = (db: Database, id: number) => db.select().from(users).where(eq(users.id, id)).get() as typeof users.$inferSelect

/** Signs somebody in on one more browser. */
async function another({ newBrowser }: Cabinet, name: Name) {
  const browser = newBrowser()
  await browser.post('/login', { email: emailOf(name), password })
  return browser
}

t.test('everybody has a profile, whatever their group, and keeps it', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  for (const name of ['root', 'clerk', 'maria', 'pavel', 'denis'] as const) {
    const browser = await as(name)
    t.equal((await browser.get('/profile')).statusCode, 200)
    const fields = { lastname: 'Ёлкин', name: 'Пётр', middlename: 'Ильич', phone: '+7(999) 111 22 33', tg_id: `tg-${name}` }
    t.equal((await browser.post('/profile', fields)).statusCode, 303)
    t.match(userOf(db, cast[name]), fields)
  }
})

t.test('nobody reaches it without signing in', async (t) => {
  const { newBrowser } = await startCabinet(t)
  t.equal((await newBrowser().get('/profile')).statusCode, 303)
  t.equal((await newBrowser().post('/profile', { name: 'x' })).statusCode, 303)
})

t.test('lists find a person by the new name', async (t) => {
  const { as } = await startCabinet(t)
  await (await as('maria')).post('/profile', { lastname: 'Ёжикова' })
  await (await as('denis')).post('/profile', { lastname: 'Щукин', tg_id: 'pike' })
  const root = await as('root')
  t.match((await root.get('/managers?q=ежик', htmx)).body, 'data-total="1"')
  t.match((await root.get('/dealers?q=щук pike', htmx)).body, 'data-total="1"')
  t.match((await root.get('/dealers?q=denis@', htmx)).body, 'data-total="0"', 'and the dealers not by email')
})

t.test('what is not theirs to change stays', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const before = userOf(db, cast.clerk)
  await (await as('clerk')).post('/profile', {
    name: 'Klara',
    email: 'root@example.com',
    superadmin: 1,
    group_id: 2,
    active: 0,
    company_id: 1,
  })
  t.match(userOf(db, cast.clerk), { email: before.email, superadmin: false, group_id: 1, active: true, company_id: null })
})

t.test('bad input stands at its field and saves nothing', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const clerk = await as('clerk')
  const before = userOf(db, cast.clerk)
  const bad: [string, string, string][] = [
    ['lastname', ' ', 'lastname'],
    ['name', 'x'.repeat(256), 'name'],
    ['language', 'fr', 'language'],
    ['language', 'constructor', 'language'],
    ['theme', 'pink', 'theme'],
    ['password', 'short', 'password'],
  ]
  for (const [field, value, wrong] of bad) {
    const answer = await clerk.post('/profile', { tg_id: 'typed', [field]: value })
    t.equal(answer.statusCode, 422, `${field}=${value.slice(0, 12)}`)
    t.match(answer.body, `id="${wrong}-error"`)
    t.match(answer.body, 'value="typed"')
  }
  t.equal((await clerk.post('/profile', { name: ['a', 'b'] })).statusCode, 422, 'a field twice')
  t.same(userOf(db, cast.clerk), { ...before, last_auth: userOf(db, cast.clerk).last_auth })
})

t.test('language and theme count at once, and none means the browser', async (t) => {
  const { as } = await startCabinet(t)
  const clerk = await as('clerk')
  await clerk.post('/profile', { language: 'ru', theme: 'dark' })
  t.match((await clerk.get('/')).body, /<html lang="ru" data-bs-theme="dark">/)
  await clerk.post('/profile', { language: '', theme: '' })
  t.match((await clerk.get('/', { 'accept-language': 'en' })).body, /<html lang="en">/)
})

t.test('a new password needs the present one', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const clerk = await as('clerk')
  const before = userOf(db, cast.clerk).password
  for (const current_password of ['', 'wrong password'])
    t.match(await clerk.post('/profile', { current_password, password: 'another password' }), {
      statusCode: 422,
      body: /id="current_password-error"/,
    })
  t.match(await clerk.post('/profile', { password: 'another password' }), { statusCode: 422 })
  t.equal(userOf(db, cast.clerk).password, before)
})

t.test('a new password ends every other session and every impersonation, but not this one', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db, newBrowser } = cabinet
  const [here, there, root] = [await as('denis'), await another(cabinet, 'denis'), await as('root')]
  await root.get(`/impersonate/${cast.denis}`)
  const answer = await here.post('/profile', { current_password: password, password: 'another password' })
  t.equal(answer.statusCode, 303)
  t.match((await here.get('/profile')).body, /role="status"/)
  t.match(await there.get('/profile'), { statusCode: 303, headers: { location: /\/login/ } })
  t.equal((await root.get('/profile')).statusCode, 303, 'the impersonation has ended')
  t.notMatch((await root.get('/')).body, 'id="impersonation"')
  t.equal((await newBrowser().post('/login', { email: emailOf('denis'), password })).statusCode, 422)
  t.equal((await newBrowser().post('/login', { email: emailOf('denis'), password: 'another password' })).statusCode, 303)
  const change = db.select().from(changes).where(eq(changes.record_id, cast.denis)).orderBy(desc(changes.id)).get()
  t.same(change?.fields.password, [null, null], 'the history knows that, not what')
})

t.test('the sign-in it shows is not touched', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const clerk = await as('clerk')
  const { last_auth } = userOf(db, cast.clerk)
  await clerk.post('/profile', { current_password: password, password: 'another password', name: 'Klava' })
  t.equal(userOf(db, cast.clerk).last_auth, last_auth)
})

t.test('whoever acts as somebody sees their data, but neither password nor taste', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const root = await as('root')
  await root.get(`/impersonate/${cast.denis}`)
  const page = (await root.get('/profile')).body
  t.match(page, 'value="Denisov"')
  for (const name of ['password', 'current_password', 'language', 'theme']) t.notMatch(page, `id="${name}"`)
  const before = userOf(db, cast.denis)
  await root.post('/profile', { name: 'Dennis', language: 'ru', password: 'another password', current_password: password })
  t.match(userOf(db, cast.denis), { name: 'Dennis', language: null, password: before.password })
  const change = db.select().from(changes).where(eq(changes.record_id, cast.denis)).orderBy(desc(changes.id)).get()
  t.match(change, { actor_id: cast.denis, impersonator_id: cast.root })
})

t.test('saves of two windows merge, and clash where both changed the same', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const clerk = await as('clerk')
  const { version } = userOf(db, cast.clerk)
  await clerk.post('/profile', { version, phone: 'first' })
  t.equal((await clerk.post('/profile', { version, phone: '', tg_id: 'second' })).statusCode, 303)
  t.match(userOf(db, cast.clerk), { phone: 'first', tg_id: 'second' })
  const clash = await clerk.post('/profile', { version, phone: 'third' })
  t.equal(clash.statusCode, 409)
  t.match(clash.body, 'value="third"')
  t.equal(userOf(db, cast.clerk).phone, 'first')
})
