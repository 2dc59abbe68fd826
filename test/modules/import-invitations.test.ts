import { eq } from 'drizzle-orm'
import t from 'tap'
import { invitations, users } from '../../src/database/schema/index.ts'
import { type Browser, type Cabinet, startCabinet } from '../support/cabinet.ts'
import { emailOf } from '../support/cast.ts'
import { startMailServer } from '../support/channel-servers.ts'
import { parseHtml, textOf } from '../support/html.ts'
import { checked, csv } from '../support/imports.ts'
import { endOfJob } from '../support/jobs.ts'
import { until } from '../support/until.ts'

const invited = ({ db }: Cabinet) =>
  db
    .select({ email: users.email })
    .from(invitations)
    .innerJoin(users, eq(users.id, invitations.user_id))
    .all()
    .map(({ email }) => email)

const heading = ['Last name', 'Name', 'Email', 'Company', 'Phone']
const nora = ['Newman', 'Nora', 'nora@example.com', 'Alpha Windows', '']
const oleg = ['Orlov', 'Oleg', 'oleg@example.com', 'Alpha Windows', '']
const denis = ['Denisov', 'Denis', emailOf('denis'), 'Alpha Windows', '+7 900 000-00-09']

const boxIn = (body: string) => parseHtml(body)('input[name=invite]')

async function linksFor(browser: Browser): Promise<string[]> {
  const { body } = await browser.get('/dealers/invite/links?format=csv')
  return [...body.matchAll(/(\/invitation\/[\w-]{43})/g)].map(([path]) => path)
}

t.test('who is added by a sheet is invited by mail when the box says so; whom the sheet only changes is not', async (t) => {
  const office = await startMailServer(t)
  const cabinet = await startCabinet(t, { environment: { SMTP_URL: office.url, PUBLIC_URL: 'https://cabinet.example' } })
  const maria = await cabinet.as('maria')
  const { path, page } = await checked(maria, 'dealers', csv([heading, nora, oleg, denis]))
  t.notOk(boxIn(page.body).is('[checked]'), 'nobody is invited unasked')
  t.match(textOf(page.body), 'Each gets an email with a link')
  t.same(invited(cabinet), [], 'the check invites nobody')
  t.equal((await maria.post(`${path}/save`, { invite: '1' })).statusCode, 303)
  await until(() => office.letters.length === 2)
  t.same(office.letters.map(({ to }) => to).toSorted(), ['nora@example.com', 'oleg@example.com'])
  t.same(invited(cabinet).toSorted(), ['nora@example.com', 'oleg@example.com'])
  await maria.post(`${path}/save`, { invite: '1' })
  t.equal(office.letters.length, 2, 'saved twice it is one invitation')
  t.equal(boxIn((await maria.get(path)).body).length, 0)
  const link = /\/invitation\/[\w-]{43}/.exec(office.letters[0]?.text ?? '')?.[0] as string
  t.equal((await cabinet.newBrowser().get(link)).statusCode, 200)
  await maria.post(`${path}/undo`)
  t.equal((await cabinet.newBrowser().get(link)).statusCode, 404, 'the undo takes it back')
})

t.test('without the box nobody is invited; a sheet that adds nobody has none, nor has one of companies', async (t) => {
  const cabinet = await startCabinet(t)
  const maria = await cabinet.as('maria')
  const known = await checked(maria, 'dealers', csv([heading, denis]))
  t.equal(boxIn(known.page.body).length, 0)
  const companies = await checked(maria, 'companies', csv([['Company'], ['New Ltd']]))
  t.equal(boxIn(companies.page.body).length, 0)
  t.equal((await maria.post(`${companies.path}/save`, { invite: '1' })).statusCode, 303)
  const { path } = await checked(maria, 'dealers', csv([heading, nora]))
  await maria.post(`${path}/save`)
  t.same(invited(cabinet), [])
  t.notOk((await maria.get(path)).body.includes('/invite/links'))
})

t.test('without mail the page of the import leads to the links, of the good rows too', async (t) => {
  const cabinet = await startCabinet(t)
  const maria = await cabinet.as('maria')
  const sheet = csv([heading, nora, ['Lost', 'Lena', 'lena@example.com', 'Nowhere Ltd', '']])
  const { path, page } = await checked(maria, 'dealers', sheet)
  t.match(textOf(page.body), 'Email is not set up')
  t.equal((await maria.post(`${path}/save`, { invite: '1' })).statusCode, 422)
  t.same(await linksFor(maria), [], 'nothing saved, nobody invited')
  t.equal((await maria.post(`${path}/save`, { invite: '1', good_rows: '1' })).statusCode, 303)
  t.match((await maria.get(path)).body, '/dealers/invite/links')
  const links = await linksFor(maria)
  t.equal(links.length, 1)
  t.equal((await cabinet.newBrowser().post(links[0] as string, { password: 'a brand new password' })).statusCode, 303)
  t.notOk((await maria.get(path)).body.includes('/invite/links'), 'once used it is gone')
})

t.test('very many are invited by the job that adds them', async (t) => {
  const cabinet = await startCabinet(t)
  const maria = await cabinet.as('maria')
  const many = Array.from({ length: 260 }, (_, at) => [`Many${at}`, 'Max', `many${at}@example.com`, 'Alpha Windows', ''])
  const { path } = await checked(maria, 'dealers', csv([heading, ...many]))
  const started = await maria.post(`${path}/save`, { invite: '1' })
  t.match(await endOfJob(cabinet, String(started.headers.location)), { state: 'done', skipped: 0 })
  t.equal(new Set(await linksFor(maria)).size, 260)
  t.match((await maria.get(path)).body, '/dealers/invite/links')
})
