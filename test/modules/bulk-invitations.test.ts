import { eq } from 'drizzle-orm'
import t from 'tap'
import { group } from '../../src/core/access.ts'
import { companies, invitations, users } from '../../src/database/schema/index.ts'
import { type Answer, type Browser, type Cabinet, startCabinet } from '../support/cabinet.ts'
import { emailOf, grant } from '../support/cast.ts'
import { startMailServer } from '../support/channel-servers.ts'
import { parseHtml, textOf } from '../support/html.ts'
import { endOfJob } from '../support/jobs.ts'
import { later } from '../support/later.ts'
import { until } from '../support/until.ts'

const invited = ({ db }: Cabinet) =>
  db
    .select()
    .from(invitations)
    .all()
    .map(({ user_id }) => user_id)

const reasons = ({ body }: Answer) =>
  Object.fromEntries(
    parseHtml(body)('[data-result]')
      .toArray()
      .map((item) => [Number(parseHtml(body)(item).attr('data-result')), textOf(parseHtml(body).html(item))]),
  )

const linksIn = (text: string) => [...text.matchAll(/https?:\/\/\S+(\/invitation\/[\w-]{43})/g)].map(([, path]) => path as string)

const signedIn = ({ db }: Cabinet, id: number) => db.update(users).set({ last_auth: Date.now() }).where(eq(users.id, id)).run()

t.test('a manager invites several dealers at once: each is mailed a link of their own; who uses the cabinet is skipped', async (t) => {
  const office = await startMailServer(t)
  const cabinet = await startCabinet(t, { environment: { SMTP_URL: office.url, PUBLIC_URL: 'https://cabinet.example' } })
  const { cast, as } = cabinet
  signedIn(cabinet, cast.denis)
  const maria = await as('maria')
  const asked = await maria.get(`/dealers/invite?id=${cast.roman}&id=${cast.denis}`)
  t.match(textOf(asked.body), 'Invite 2 people')
  t.match(textOf(asked.body), 'Each gets an email with a link')
  const answer = await maria.post('/dealers/invite', { id: [cast.roman, cast.denis, cast.ivan], once: 'first' })
  t.equal(answer.statusCode, 200)
  t.match(textOf(answer.body), '1 person invited')
  t.match(reasons(answer), { [cast.denis]: 'Already uses the cabinet.', [cast.ivan]: 'Activate the user first.' })
  t.same(invited(cabinet), [cast.roman])
  t.notOk(answer.body.includes('/invite/links'), 'the link is in the mail only')
  t.equal((await maria.get('/dealers/invite/links?format=csv')).statusCode, 410)
  await until(() => office.letters.length > 0)
  t.match(office.letters, [{ to: emailOf('roman') }])
  const path = linksIn(office.letters[0]?.text ?? '')[0] as string
  t.equal((await maria.post('/dealers/invite', { id: [cast.roman, cast.denis, cast.ivan], once: 'first' })).statusCode, 200)
  t.equal((await cabinet.newBrowser().get(path)).statusCode, 200, 'pressed twice, the link that was mailed still works')
  t.equal((await cabinet.newBrowser().post(path, { password: 'a brand new password' })).statusCode, 303)
  t.equal(office.letters.length, 1)
})

t.test('rights are asked as for a single invitation', async (t) => {
  const cabinet = await startCabinet(t)
  const { cast, db, as } = cabinet
  const maria = await as('maria')
  t.equal((await maria.post('/dealers/invite', { id: [cast.denis, cast.daria] })).statusCode, 403, 'a dealer of another manager')
  t.equal((await (await as('denis')).post('/dealers/invite', { id: [cast.roman] })).statusCode, 403)
  t.equal((await (await as('clerk')).get(`/managers/invite?id=${cast.plain}`)).statusCode, 403)
  t.same(invited(cabinet), [])
  grant(db, cast.admin, 'manager_can_view', 'manager_can_edit', 'admin_can_view', 'admin_can_edit')
  const admin = await as('admin')
  const root = await as('root')
  db.update(users).set({ last_auth: null }).run()
  const refused = await admin.post('/managers/invite', { id: [cast.maria, cast.plain] })
  t.match(reasons(refused), { [cast.maria]: 'You cannot invite someone with more permissions than you have.' })
  t.same(invited(cabinet), [cast.plain], 'who has fewer is invited')
  const own = await root.post('/admins/invite', { id: [cast.root, cast.clerk] })
  t.match(reasons(own), { [cast.root]: "You don't have access." }, 'not oneself')
  t.same(invited(cabinet), [cast.clerk, cast.plain])
  await root.get(`/impersonate/${cast.admin}`)
  t.equal((await root.post('/dealers/invite', { id: [cast.denis] })).statusCode, 403, 'nor acting as somebody')
})

t.test('it takes a password given lately', async (t) => {
  const cabinet = await startCabinet(t)
  const maria = await cabinet.as('maria')
  await maria.post('/dealers/invite', { id: [cabinet.cast.roman] })
  const quarter = 16 * 60_000
  const answer = await later(quarter, () => maria.post('/dealers/invite', { id: [cabinet.cast.denis] }))
  t.match(answer.headers.location, '/confirm-identity', 'who they are is asked first')
  t.same(invited(cabinet), [cabinet.cast.roman])
  const links = await later(quarter, () => maria.get('/dealers/invite/links?format=csv'))
  t.match(links.headers.location, '/confirm-identity', 'and so do the links')
})

t.test('without mail there is a sheet of links that work, for whoever has invited', async (t) => {
  const cabinet = await startCabinet(t)
  const { cast, as, newBrowser } = cabinet
  const maria = await as('maria')
  t.match(textOf((await maria.get(`/dealers/invite?id=${cast.denis}`)).body), 'Email is not set up')
  const answer = await maria.post('/dealers/invite', { id: [cast.denis, cast.roman] })
  t.match(answer.body, '/dealers/invite/links')
  const sheet = async (browser: Browser) => (await browser.get('/dealers/invite/links?format=csv')).body
  const text = await sheet(maria)
  t.match(text, /Denisov Denis.*denis@example\.com/)
  t.match(text, /Romanov Roman/)
  const linkOf = (name: string) => linksIn(text.split('\n').find((line) => line.includes(name)) ?? '')[0] as string
  t.equal((await newBrowser().post(linkOf('Denisov'), { password: 'a brand new password' })).statusCode, 303)
  t.same(linksIn(await sheet(maria)), [linkOf('Romanov')], 'what was used is no longer there')
  t.equal((await (await as('mikhail')).get('/dealers/invite/links')).statusCode, 410, 'another has none')
  t.equal((await (await as('root')).get('/dealers/invite/links')).statusCode, 410)
  t.equal((await maria.get('/managers/invite/links')).statusCode, 403)
  const looksAfter = (manager_id: number) =>
    cabinet.db.update(companies).set({ manager_id }).where(eq(companies.id, cast.companies.alpha)).run()
  looksAfter(cast.mikhail)
  t.equal((await maria.get('/dealers/invite/links')).statusCode, 410, 'nor of somebody whom she may no longer invite')
  looksAfter(cast.maria)
  t.equal((await maria.get('/dealers/invite/links')).statusCode, 200)
  await maria.post(`/dealers/edit/${cast.roman}/invitation/revoke`)
  t.equal((await maria.get('/dealers/invite/links')).statusCode, 410, 'nor is what was revoked')
})

t.test('two hundred and fifty are invited at once; more are a job, which leads to all links and names who was skipped', async (t) => {
  const cabinet = await startCabinet(t)
  const { db, cast, as } = cabinet
  const root = await as('root')
  const more = Array.from({ length: 300 }, (_, at) => ({
    ...{ group_id: group.dealer, email: `many${at}@example.com`, lastname: `Many${at}`, name: 'Max', password: '' },
    ...(at === 7 && { last_auth: Date.now() }),
    company_id: cast.companies.alpha,
  }))
  const ids = more.map((one) => db.insert(users).values(one).returning({ id: users.id }).get().id)
  t.equal((await root.post('/dealers/invite', { id: ids.slice(0, 250) })).statusCode, 200)
  t.equal(invited(cabinet).length, 249)
  const started = await root.post('/dealers/invite', { id: ids.slice(0, 251) })
  t.equal(started.statusCode, 303)
  const job = await endOfJob(cabinet, String(started.headers.location))
  t.match(job, { state: 'done', done: 251, skipped: 1, report: [{ id: ids[7], reason: 'Already uses the cabinet.' }] })
  const page = await root.get(String(started.headers.location))
  t.match(page.body, '/dealers/invite/links')
  const paths = linksIn((await root.get('/dealers/invite/links?format=csv')).body)
  t.equal(new Set(paths).size, 250)
  t.equal((await cabinet.newBrowser().get(paths.at(-1) as string)).statusCode, 200)
  t.notOk((await (await as('admin')).get(String(started.headers.location))).body.includes('/invite/links'), 'for nobody else')
})
